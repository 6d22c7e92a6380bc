// A model of the shared engine: what a database promises (a transaction takes place whole or not at all, and
// stays), in memory, with networks to it that are cut and answers that are lost. What becomes of a batch is
// decided by the real merge.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <set>

#include "serve/journal/merge.hpp"
#include "serve/journal/shared_journal.hpp"

namespace neuralts::serve {

/// The database.
struct SimEngine {
  struct Stored {
    Record record;
    std::uint16_t writer;
    Sequence origin;
  };
  struct Waiting {
    std::int64_t time_us;
    Entry entry;
  };
  std::vector<Stored> records;                                // record n is at n - 1
  std::map<std::pair<std::string, std::uint32_t>, Sequence> names;
  std::map<MergeOrigin, Sequence> origins;
  std::set<std::pair<Sequence, std::string>> keys;
  std::vector<Waiting> waiting;
  std::int64_t time_us = 0, time_us_max = std::numeric_limits<std::int64_t>::max();  // of records; its own clock
  std::map<std::string, std::uint16_t> writers;
  std::map<std::uint16_t, Sequence> shipped;
  std::map<std::string, std::string> settings;
  std::map<std::uint32_t, Checkpoint> checkpoints;
  std::map<std::uint32_t, std::map<std::uint64_t, StoredModel>> models;
  const void* learner = nullptr;                              // whose session holds the lock
  std::uint64_t epoch = 0;
  std::function<void()> before_model;                         // what another does at that moment, once
  bool down = false;
};

/// One node's way to it.
class SimShared final : public SharedJournal {
 public:
  explicit SimShared(SimEngine& engine) : engine_(engine) {}
  ~SimShared() override { end_session(); }

  bool cut = false;                 ///< nothing gets through
  int answers_to_lose = 0;          ///< so many changes take place, and nobody is told
  /// The engine finds out that the node has gone.
  void end_session() {
    if (engine_.learner == this) engine_.learner = nullptr;
  }

  /// All run in one thread: it is always free.
  std::shared_ptr<void> turn() override { return reach(), std::make_shared<int>(); }
  void append(std::span<Entry> batch, std::int64_t now_us) override;
  std::unique_ptr<JournalReader> reader() override;
  JournalInfo info() override { return {1, engine_.records.size(), 1, 0, false}; }
  std::size_t drop_before(std::int64_t) override { return 0; }
  void put_checkpoint(std::uint32_t loop, const Checkpoint& checkpoint) override;
  std::optional<Checkpoint> get_checkpoint(std::uint32_t loop) override;
  void drop_checkpoint(std::uint32_t loop) override;
  void put_model(std::uint32_t loop, const StoredModel& model, std::size_t keep) override;
  std::vector<StoredModel> models(std::uint32_t loop) override;
  std::optional<StoredModel> model(std::uint32_t loop, std::uint64_t version) override;
  void put_setting(const std::string& key, const std::string& value) override;
  std::optional<std::string> get_setting(const std::string& key) override;
  std::vector<std::pair<std::string, std::string>> settings(const std::string& prefix) override;
  void drop_setting(const std::string& key) override;
  bool lease(const std::string&, const std::string&, std::int64_t, std::int64_t) override { return true; }
  std::uint16_t writer(const std::string& node, Sequence shipped) override;
  Sequence shipped(std::uint16_t writer) override;
  Sequence ship(std::uint16_t writer, std::span<Parcel> parcels, Sequence sent) override;
  bool lead() override;
  void resign() override { epoch_ = 0, end_session(); }
  void wait_for_change(int) override { reach(); }

  void reach() const;               ///< throws JournalError
  SimEngine& engine() { return engine_; }

 private:
  void answer();
  void check_learner() const;
  void store(std::vector<MergeItem> items, std::uint16_t writer);

  SimEngine& engine_;
  std::uint64_t epoch_ = 0;
};

}  // namespace neuralts::serve
