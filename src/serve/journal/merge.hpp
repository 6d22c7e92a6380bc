// Batches of many writers become one journal: what becomes of each entry, decided from what an engine knows.
//
// The engine holds the journal's head (one merge at a time), looks up what the merge wants to know, tells it,
// and stores the rows that come out:
//
//   Merge merge(items, writer);
//   for (name : merge.names()) ...          merge.know_name(name, place)
//   for (event : merge.events()) ...        merge.know_event(event, place)
//   for (key : merge.keys()) ...            merge.know_key(key)
//   merge.finish(head);                     -> outcomes in the entries, rows()
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "serve/journal/journal.hpp"

namespace neuralts::serve {

/// An entry on its way into the shared journal.
struct MergeItem {
  Entry* entry = nullptr;
  Sequence origin = 0;  ///< its place in the writer's spool; 0: it comes from nowhere else
  std::int64_t time_us = 0;
  /// It has been acknowledged: when its event is not there, the event may still come; when events of several
  /// loops have the name, it is the oldest one's.
  bool may_wait = false;
};

/// Where an event is.
struct MergePlace {
  Sequence sequence = 0;
  std::int64_t segment = 0;
  std::uint32_t loop = 0;
  std::int64_t time_us = 0;
};

struct MergeOrigin {
  std::uint16_t writer = 0;
  Sequence sequence = 0;
  auto operator<=>(const MergeOrigin&) const = default;
};

struct MergeKey {
  Sequence event = 0;
  std::int64_t segment = 0;  ///< of the event
  std::string key;
  auto operator<=>(const MergeKey&) const = default;
};

/// Where the journal ends.
struct MergeHead {
  Sequence next = 1;
  std::int64_t time_us = 0;      ///< of the last record
  std::int64_t time_us_max = 0;  ///< a writer's clock that is ahead of this is not believed
  std::int64_t segment = 0;
};

/// A record to be stored.
struct MergeRow {
  const MergeItem* item = nullptr;
  Sequence sequence = 0;
  std::int64_t time_us = 0;
  std::uint32_t loop = 0;
  Sequence target = 0;
  std::int64_t target_segment = 0;
};

class Merge {
 public:
  /// `writer`: whose spool the items' origins count; 0: none.
  Merge(std::vector<MergeItem> items, std::uint16_t writer);

  /// Names and events to look up.
  const std::set<std::string>& names() const { return names_wanted_; }
  const std::set<MergeOrigin>& events() const { return events_wanted_; }
  void know_name(const std::string& name, const MergePlace& place);
  void know_event(const MergeOrigin& origin, const MergePlace& place) { events_known_[origin] = place; }
  /// Keys to look up. REQUIRES all names and events told.
  std::set<MergeKey> keys();
  void know_key(const MergeKey& key) { keys_known_.insert(key); }

  /// Gives sequences and outcomes. Moves `head` behind the last row.
  void finish(MergeHead& head);
  const std::vector<MergeRow>& rows() const { return rows_; }
  /// Items whose event is not there yet.
  const std::vector<const MergeItem*>& waiting() const { return waiting_; }

 private:
  /// An event: in the journal, or an item of this batch.
  struct Found {
    std::uint32_t loop = 0;
    std::optional<MergePlace> place;
    std::size_t item = 0;
  };
  void resolve();
  void resolve_event(std::size_t i);
  void resolve_target(std::size_t i);
  static bool came_before(const Found& a, const Found& b);
  const Found* named(const Entry& entry, bool& ambiguous) const;
  void finish_target(std::size_t i, MergeRow& row);
  void store(std::size_t i, MergeRow& row, MergeHead& head);

  std::vector<MergeItem> items_;
  std::uint16_t writer_;
  std::set<std::string> names_wanted_;
  std::set<MergeOrigin> events_wanted_;
  std::map<std::string, std::vector<Found>> names_known_;
  std::map<MergeOrigin, MergePlace> events_known_;
  std::map<MergeOrigin, std::size_t> origins_;  // events of this batch
  std::set<MergeKey> keys_known_;
  std::vector<std::optional<Found>>
      targets_;  // of rewards and activations; of events: the first of that name
  std::vector<std::optional<MergePlace>> placed_;  // events of this batch that are stored
  bool resolved_ = false;
  std::vector<MergeRow> rows_;
  std::vector<const MergeItem*> waiting_;
};

}  // namespace neuralts::serve
