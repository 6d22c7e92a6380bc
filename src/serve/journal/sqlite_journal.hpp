// The embedded journal: SQLite files in one folder, one connection that writes each.
//
//   DIR/state.db             small tables (state_tables.hpp)
//   DIR/segment-000001.db    records 1 ... ; a new file after a day or a GiB, and after a sync that failed
//
// After a failed write or sync nothing more is written to that segment: its tail may or may not be on the disk.
// The next append opens a new one, whose first sequence bounds the old one, so that what the tail holds is
// never read.
#pragma once

#include <atomic>
#include <map>

#include "serve/journal/segment.hpp"
#include "serve/journal/segment_catalogue.hpp"

namespace neuralts::serve {

struct SqliteOptions {
  std::string vfs;                                          ///< SQLite's name of a file system; empty: the real one
  Sync sync = Sync::full;
  std::uint64_t segment_bytes_max = std::uint64_t{1} << 30;
  std::int64_t segment_us_max = 86'400'000'000;
  /// How long a caller's event id is remembered, at least.
  std::int64_t names_us = 3 * 86'400'000'000;
};

class SqliteJournal final : public Journal, public SegmentCatalogue {
 public:
  /// Makes or opens the journal in `folder`. Throws JournalError.
  SqliteJournal(const std::string& folder, const SqliteOptions& options);

  void append(std::span<Entry> batch, std::int64_t now_us) override;
  void tidy() override;
  std::unique_ptr<JournalReader> reader() override;
  JournalInfo info() override;
  std::size_t drop_before(std::int64_t time_us) override;

  void put_checkpoint(std::uint32_t loop, const Checkpoint& c) override { state_.put_checkpoint(loop, c); }
  std::optional<Checkpoint> get_checkpoint(std::uint32_t loop) override { return state_.get_checkpoint(loop); }
  void drop_checkpoint(std::uint32_t loop) override { state_.drop_checkpoint(loop); }
  void put_model(std::uint32_t loop, const StoredModel& m, std::size_t keep) override {
    state_.put_model(loop, m, keep);
  }
  std::vector<StoredModel> models(std::uint32_t loop) override { return state_.models(loop); }
  std::optional<StoredModel> model(std::uint32_t loop, std::uint64_t version) override {
    return state_.model(loop, version);
  }
  void put_setting(const std::string& key, const std::string& value) override { state_.put_setting(key, value); }
  std::optional<std::string> get_setting(const std::string& key) override { return state_.get_setting(key); }
  std::vector<std::pair<std::string, std::string>> settings(const std::string& prefix) override {
    return state_.settings(prefix);
  }
  void drop_setting(const std::string& key) override { state_.drop_setting(key); }
  bool lease(const std::string& name, const std::string& owner, std::int64_t now, std::int64_t until) override {
    return state_.lease(name, owner, now, until);
  }

  // For the readers.
  std::string path(std::uint64_t segment) const override { return segment_path(folder_, segment); }
  std::pair<SegmentRow, Sequence> segment_of(Sequence sequence) override;
  const std::string& vfs() const override { return options_.vfs; }
  Sequence last() const override { return next_ - 1; }

 private:
  struct Old {  // a segment that is only looked into
    Database database;
    SegmentIndex index;
  };

  void open_newest();
  void start_segment(std::int64_t now_us);
  bool rotation_due(std::int64_t now_us);
  SegmentIndex& index_of(const SegmentRow& row, Sequence bound);
  void apply(Entry& entry, Sequence& next, std::int64_t time_us);
  bool apply_event(Entry& entry);
  bool apply_to_event(Entry& entry);
  std::optional<EventPlace> place(Sequence sequence);
  std::vector<EventPlace> named(const std::string& name, std::uint32_t loop, std::int64_t now_us);
  bool has_key(Sequence event, const std::string& key);
  template <class Visit>
  void visit_newest_first(const Visit& visit);
  void abandon();

  std::string folder_;
  SqliteOptions options_;
  StateTables state_;
  std::mutex rows_mutex_;                  // rows_ is read by readers; who appends reads it without
  std::vector<SegmentRow> rows_;
  std::unique_ptr<Segment> newest_;        // nothing: a failed append closed it
  std::map<std::uint64_t, Old> old_;
  std::atomic<Sequence> next_{1};
  std::int64_t last_time_us_ = 0;
  std::uint64_t appends_ = 0;
  std::atomic<std::uint64_t> newest_bytes_{0};
  std::atomic<bool> failed_{false};
};

/// Makes `folder` and its parents where they are missing, durable.
void make_folder(const std::string& folder);

}  // namespace neuralts::serve
