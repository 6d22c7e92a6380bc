// One file of the journal, as its writer sees it. REQUIRES begin() before anything is stored.
#pragma once

#include "serve/journal/database.hpp"
#include "serve/journal/state_tables.hpp"

namespace neuralts::serve {

/// Where an event is and when it was.
struct EventPlace {
  Sequence sequence = 0;
  std::uint32_t loop = 0;
  std::int64_t time_us = 0;
};

/// Lookups that the writer needs in the segment it writes and in older ones.
class SegmentIndex {
 public:
  SegmentIndex() = default;
  /// `bound`: records at or above it are not the segment's (a failed append left them).
  SegmentIndex(Database& database, Sequence bound);

  std::optional<EventPlace> event(Sequence sequence);
  /// Events with this name; `loop` 0: of any loop, at most two are returned.
  std::vector<EventPlace> named(const std::string& name, std::uint32_t loop);
  bool has_key(Sequence event, const std::string& key);
  std::string payload(Sequence sequence);
  Sequence last();                          ///< 0: the segment is empty
  std::int64_t last_time_us();

 private:
  Sequence bound_ = 0;
  Statement event_, named_, named_in_loop_, key_, payload_, last_;
};

class Segment {
 public:
  /// Makes the file, or opens it when it is there.
  Segment(const std::string& path, const std::string& vfs, Sync sync);

  void begin();
  void commit();
  void roll_back();
  void store(Sequence sequence, std::int64_t time_us, const Entry& entry);
  SegmentIndex& index() { return index_; }
  std::uint64_t bytes();
  /// Keeps the WAL short. Throws JournalError.
  void tidy();

 private:
  Database database_;
  SegmentIndex index_;
  Statement begin_, commit_, insert_, name_, key_;
};

}  // namespace neuralts::serve
