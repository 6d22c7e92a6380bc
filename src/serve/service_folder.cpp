// A service's folder as a log: `neuralts evaluate DIR`.
#include <chrono>

#include "base/text.hpp"
#include "neuralts/serve.hpp"
#include "serve/clock.hpp"
#include "serve/journal/sqlite_view.hpp"
#include "serve/journal_events.hpp"
#include "serve/stored_loop.hpp"

namespace neuralts {

namespace {

using namespace serve;

/// Keeps what the events are read from.
class FolderEvents final : public EventSource {
 public:
  FolderEvents(std::unique_ptr<SqliteView> view, StoredLoop loop)
      : view_(std::move(view)),
        loop_(std::move(loop)),
        events_([this] { return view_->reader(); }, loop_.id,
                [this](std::uint32_t r) -> const LoopConfig& { return loop_.config(r); },
                SystemClock().now_us()) {}
  void rewind() override { events_.rewind(); }
  bool next(Event& out) override { return events_.next(out); }
  std::string place() const override { return "loop " + loop_.name + ", " + events_.place(); }

 private:
  std::unique_ptr<SqliteView> view_;
  StoredLoop loop_;
  JournalEvents events_;
};

bool has_events(SqliteView& view, const StoredLoop& loop) {
  std::vector<Record> first;
  view.reader()->read_events(0, 1, loop.id, first);
  return !first.empty();
}

/// The one that is named, or the only one that has decided anything.
StoredLoop loop_of(SqliteView& view, const std::string& folder, const std::string& name) {
  std::vector<StoredLoop> found;
  std::vector<std::string> names;
  for (const auto& [key, value] : view.settings("loop/")) {
    StoredLoop loop = stored_loop_from_json(value);
    if (loop.deleted) continue;
    names.push_back(loop.name);
    if (name.empty() ? has_events(view, loop) : loop.name == name) found.push_back(std::move(loop));
  }
  if (found.size() == 1) return std::move(found.front());
  if (!name.empty())
    throw Error(ErrorCode::not_found, folder, "there is no loop '" + name + "'", suggest(name, names));
  if (found.empty()) throw Error(ErrorCode::not_found, folder, "the service has decided nothing yet");
  std::string listed;
  for (const auto& other : found) listed += (listed.empty() ? "" : ", ") + other.name;
  throw Error(ErrorCode::bad_spec, folder, "several loops have decided something: " + listed,
              "say which with --loop NAME");
}

}  // namespace

bool is_service_folder(const std::string& folder) { return SqliteView::is_journal(folder); }

std::unique_ptr<EventSource> service_events(const std::string& folder, const std::string& loop) {
  auto view = std::make_unique<SqliteView>(folder);
  StoredLoop found = loop_of(*view, folder, loop);
  return std::make_unique<FolderEvents>(std::move(view), std::move(found));
}

}  // namespace neuralts
