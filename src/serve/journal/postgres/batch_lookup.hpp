// What a batch has to know of the shared journal before it is merged into it.
#pragma once

#include "serve/journal/merge.hpp"
#include "serve/journal/postgres/connection.hpp"
#include "serve/journal/shared_journal.hpp"

namespace neuralts::serve {

/// Names, events and what waits for them: asked for in the round trip that takes the head, told to the merge
/// afterwards.
class BatchLookup {
 public:
  /// `names_us`: how long names are remembered.
  BatchLookup(const std::vector<MergeItem>& items, std::uint16_t writer, std::int64_t names_us);

  void queue(Connection& connection);
  /// `tables` from `at` on are the answers to queue(). What waited for the events of the batch joins it:
  /// appended to `found`. Returns the numbers under which it waited.
  std::vector<std::int64_t> take_waiting(const std::vector<Table>& tables, std::size_t at,
                                         std::vector<Parcel>& found) const;
  void tell(const std::vector<Table>& tables, std::size_t at, Merge& merge) const;

 private:
  Merge wanted_;
  std::uint16_t writer_;
  std::set<std::string> event_names_;
  Sequence first_origin_ = 0, last_origin_ = 0;
  std::int64_t names_from_us_ = 0;
  bool has_own_ = false, has_origins_ = false;
};

/// Keys that were applied before. REQUIRES names and events told. A round trip, when there are any to ask for.
void look_up_keys(Connection& connection, Merge& merge);
/// What was stored the first time, for events whose name was there. A round trip, when there are any.
void fill_first_payloads(Connection& connection, const std::vector<MergeItem>& items, const Merge& merge);

}  // namespace neuralts::serve
