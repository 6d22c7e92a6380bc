// The shared journal: PostgreSQL, 13 or later.
//
// Whoever appends holds the one row of `head` until its commit, so that records commit in the order of their
// sequences: a reader that has seen number 100 will never see 99 come later, and sequences have no gap. The
// price is one commit at a time; batches pay it. Segments are partitions, begun every day, dropped whole.
#pragma once

#include <atomic>
#include <mutex>

#include "serve/journal/merge.hpp"
#include "serve/journal/postgres/connection.hpp"
#include "serve/journal/shared_journal.hpp"

namespace neuralts::serve {

class BatchLookup;

struct PostgresOptions {
  std::string schema = "neuralts";
  bool synchronous = true;       ///< a commit waits for the disk, and for synchronous standbys
  bool must_answer = true;       ///< false: the database may be away when this is made
  int wait_ms_max = 10'000;      ///< for any answer of the database about records
  int state_wait_ms_max = 3000;  ///< about the small tables
  std::int64_t segment_us_max = 86'400'000'000;
  std::int64_t names_us = 3 * 86'400'000'000;  ///< how long a caller's event id is remembered, at least
};

class PostgresJournal final : public SharedJournal {
 public:
  /// Connects, and makes the tables or brings them up to date. `instance`: a number that no other process
  /// has. Throws JournalError.
  PostgresJournal(const std::string& address, const PostgresOptions& options, std::uint64_t instance);
  ~PostgresJournal() override;

  void append(std::span<Entry> batch, std::int64_t now_us) override;
  std::unique_ptr<JournalReader> reader() override;
  JournalInfo info() override;
  std::size_t drop_before(std::int64_t time_us) override;

  void put_checkpoint(std::uint32_t loop, const Checkpoint& checkpoint) override;
  std::optional<Checkpoint> get_checkpoint(std::uint32_t loop) override;
  void drop_checkpoint(std::uint32_t loop) override;
  void put_model(std::uint32_t loop, const StoredModel& model, std::size_t keep) override;
  std::vector<StoredModel> models(std::uint32_t loop) override;
  std::vector<StoredModel> models_seen(std::uint32_t loop) override;
  std::optional<StoredModel> model(std::uint32_t loop, std::uint64_t version) override;
  void put_setting(const std::string& key, const std::string& value) override;
  std::optional<std::string> get_setting(const std::string& key) override;
  std::vector<std::pair<std::string, std::string>> settings(const std::string& prefix) override;
  void drop_setting(const std::string& key) override;
  bool lease(const std::string& name, const std::string& owner, std::int64_t now_us,
             std::int64_t until_us) override;
  std::shared_ptr<void> turn() override;

  std::uint16_t writer(const std::string& node, Sequence shipped) override;
  Sequence shipped(std::uint16_t writer) override;
  Sequence ship(std::uint16_t writer, std::span<Parcel> parcels, Sequence sent) override;
  bool lead() override;
  void resign() override;
  void wait_for_change(int timeout_ms) override;

  // For the readers.
  struct Segment {
    std::int64_t number = 0;        ///< 0: there is none
    Sequence first = 1, bound = 0;  ///< bound: the next one's first; 0: it is the newest
  };
  ConnectionPool& pool() { return pool_; }
  /// The newest record, as the database says now (or has said within the last milliseconds).
  Sequence last();
  /// The segment that holds `sequence`, or would.
  Segment segment_of(Sequence sequence);

 private:
  struct Head;
  struct Batch;
  struct Held;
  void prepare();
  void look();
  void read_segments(Connection& connection);
  void store(Batch& batch);
  void store_once(Connection& connection, Batch& batch);
  Held hold_head(Connection& connection, Batch& batch, BatchLookup& lookup);
  void queue_progress(Connection& connection, const Batch& batch, const MergeHead& end, Sequence shipped_to) const;
  void start_segment(Connection& connection, Head& head, std::int64_t time_us);
  bool committed();
  void note_stored(const Batch& batch);
  void check_learner(Connection& connection);

  PostgresOptions options_;
  std::int64_t instance_;
  std::atomic<bool> prepared_{false};
  std::int64_t batch_ = 0;
  ConnectionPool pool_, state_pool_;  // of the small tables: a person waits for them
  std::mutex models_mutex_;
  std::map<std::uint32_t, std::vector<StoredModel>> models_seen_;
  std::mutex look_mutex_;
  std::vector<Segment> segments_;
  std::atomic<std::int64_t> looked_ms_{0};
  std::atomic<Sequence> last_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<bool> failed_{false};
  std::unique_ptr<Connection> election_, changes_;
  std::atomic<std::int64_t> epoch_{0};  // of this process as the one that learns; 0: it is not
};

}  // namespace neuralts::serve
