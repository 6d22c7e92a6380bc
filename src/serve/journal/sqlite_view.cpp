#include "serve/journal/sqlite_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "serve/journal/sqlite_reader.hpp"

namespace neuralts::serve {

namespace {

constexpr const char* state_file = "/state.db";

}  // namespace

std::string segment_path(const std::string& folder, std::uint64_t segment) {
  return fmt::format("{}/segment-{:06}.db", folder, segment);
}

std::pair<SegmentRow, Sequence> segment_among(const std::vector<SegmentRow>& rows, Sequence sequence) {
  if (rows.empty()) return {{}, 0};
  auto after = std::upper_bound(rows.begin(), rows.end(), sequence,
                                [](Sequence s, const SegmentRow& r) { return s < r.first; });
  if (after == rows.begin()) ++after;  // older than all that is kept: the oldest says that it is not there
  return {*(after - 1), after == rows.end() ? 0 : after->first};
}

bool SqliteView::is_journal(const std::string& folder) { return std::filesystem::exists(folder + state_file); }

SqliteView::SqliteView(const std::string& folder)
    : folder_(folder), state_(folder + state_file), rows_(state_.segments()) {
  if (rows_.empty()) return;
  Database newest = Database::reader(path(rows_.back().number), vfs_);
  auto row = newest.prepare("SELECT coalesce(max(sequence), 0) FROM records");
  row.step();
  last_ = std::max(static_cast<Sequence>(row.number(0)), rows_.back().first - 1);
}

std::unique_ptr<JournalReader> SqliteView::reader() { return std::make_unique<SqliteReader>(*this); }

}  // namespace neuralts::serve
