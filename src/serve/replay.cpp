// The promise that what is learned is a function of the journal, checked on a folder.
#include "neuralts/serve.hpp"
#include "serve/event_id.hpp"
#include "serve/folder_lock.hpp"
#include "serve/entropy.hpp"
#include "serve/journal/shared_door.hpp"
#include "serve/loop_learner.hpp"
#include "serve/journal/sqlite_journal.hpp"
#include "serve/stored_loop.hpp"

namespace neuralts {

namespace {

using namespace serve;

/// A journal that stores nothing of what its learners do. Without checkpoints they begin at its first record.
class Unchanged final : public Journal {
 public:
  Unchanged(Journal& journal, bool checkpoints) : journal_(journal), checkpoints_(checkpoints) {}
  void append(std::span<Entry>, std::int64_t) override {}
  std::unique_ptr<JournalReader> reader() override { return journal_.reader(); }
  JournalInfo info() override { return journal_.info(); }
  std::size_t drop_before(std::int64_t) override { return 0; }
  void put_checkpoint(std::uint32_t, const Checkpoint&) override {}
  std::optional<Checkpoint> get_checkpoint(std::uint32_t loop) override {
    return checkpoints_ ? journal_.get_checkpoint(loop) : std::nullopt;
  }
  void drop_checkpoint(std::uint32_t) override {}
  void put_model(std::uint32_t, const StoredModel&, std::size_t) override {}
  std::vector<StoredModel> models(std::uint32_t) override { return {}; }
  std::optional<StoredModel> model(std::uint32_t, std::uint64_t) override { return std::nullopt; }
  void put_setting(const std::string&, const std::string&) override {}
  std::optional<std::string> get_setting(const std::string& key) override { return journal_.get_setting(key); }
  std::vector<std::pair<std::string, std::string>> settings(const std::string& prefix) override {
    return journal_.settings(prefix);
  }
  void drop_setting(const std::string&) override {}
  bool lease(const std::string&, const std::string&, std::int64_t, std::int64_t) override { return true; }

 private:
  Journal& journal_;
  bool checkpoints_;
};

std::string learned_by(Loop& loop, Journal& journal) {
  SystemClock clock;
  const Log silent(clock, {});
  loop.pinned = true;  // nothing is published
  LoopLearner learner(loop, journal, clock, silent);
  while (learner.step(512, {})) {
  }
  return learner.learned();
}

std::vector<ReplayReport> replay(Journal& journal) {
  Unchanged continued_from(journal, true), beginning(journal, false);
  std::vector<ReplayReport> reports;
  for (const auto& [key, value] : journal.settings("loop/")) {
    const StoredLoop stored = stored_loop_from_json(value);
    if (stored.deleted) continue;
    Loop resumed(stored.id, stored.name, stored.revisions), replayed(stored.id, stored.name, stored.revisions);
    const std::string continued = learned_by(resumed, continued_from), again = learned_by(replayed, beginning);
    reports.push_back({stored.name, replayed.learner.learned, continued == again, sha256_hex(again)});
  }
  return reports;
}

}  // namespace

std::vector<ReplayReport> replay_service(const std::string& folder, const std::string& address) {
  if (!address.empty()) return replay(*open_shared_journal(address, {}, SystemEntropy().bits64()));
  const FolderLock lock(folder);
  SqliteJournal journal(folder, {});
  return replay(journal);
}

}  // namespace neuralts
