// The small tables beside the journal: which segments there are, configurations, models, checkpoints, leases.
#pragma once

#include <mutex>

#include "serve/journal/database.hpp"

namespace neuralts::serve {

/// A segment holds the records from `first` up to the next segment's first. What a failed append may have left
/// beyond is not its.
struct SegmentRow {
  std::uint64_t number = 0;
  Sequence first = 1;
  std::int64_t first_time_us = 0;
};

/// Every call is one transaction, durable when it returns. Any thread.
class StateTables {
 public:
  StateTables(const std::string& path, const std::string& vfs, Sync sync);
  /// To look at, whoever else writes.
  explicit StateTables(const std::string& path) : database_(Database::reader(path, "")) {}

  std::vector<SegmentRow> segments();
  void add_segment(const SegmentRow& row);
  void drop_segment(std::uint64_t number);

  void put_checkpoint(std::uint32_t loop, const Checkpoint& checkpoint);
  std::optional<Checkpoint> get_checkpoint(std::uint32_t loop);
  void drop_checkpoint(std::uint32_t loop);
  void put_model(std::uint32_t loop, const StoredModel& model, std::size_t keep);
  std::vector<StoredModel> models(std::uint32_t loop);
  std::optional<StoredModel> model(std::uint32_t loop, std::uint64_t version);
  void put_setting(const std::string& key, const std::string& value);
  std::optional<std::string> get_setting(const std::string& key);
  std::vector<std::pair<std::string, std::string>> settings(const std::string& prefix);
  void drop_setting(const std::string& key);
  bool lease(const std::string& name, const std::string& owner, std::int64_t now_us, std::int64_t until_us);

 private:
  template <class Body>
  void transaction(const Body& body);

  std::mutex mutex_;
  Database database_;
};

}  // namespace neuralts::serve
