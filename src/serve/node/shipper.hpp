// Hands a node's spool on to the shared journal, in order, in batches. A batch that was stored and not
// answered is sent again and passed over there: every record arrives once.
#pragma once

#include <atomic>

#include "serve/journal/shared_journal.hpp"

namespace neuralts::serve {

class Shipper {
 public:
  /// REQUIRES that nothing has been appended to the spool since it was opened.
  Shipper(Journal& spool, SharedJournal& shared, std::uint16_t writer)
      : spool_(spool), shared_(shared), writer_(writer), reader_(spool.reader()), sent_(spool.info().last) {}

  /// Asks how far the shared journal is. Throws JournalError and NumberTaken.
  void look();

  /// Sends up to `limit` records. False: nothing is left for now. Throws JournalError: it is tried again with
  /// the next call; NumberTaken: go_on_as() another writer; and Error(corrupt): the shared journal misses
  /// records that the spool has forgotten. One thread.
  bool step(std::size_t limit);
  /// What stands behind own() is another writer's from now on.
  void go_on_as(std::uint16_t writer) { writer_ = writer, known_ = false; }
  /// The last record that was stored, as far as this spool's are.
  Sequence own() const { return met_ ? shipped_.load() : sent_; }

  Sequence shipped() const { return shipped_; }
  std::int64_t shipped_us() const { return shipped_us_; }  ///< when the last record that was shipped was made
  /// Whether the shared journal has ever said how far it is. Any thread.
  bool met() const { return met_; }
  /// Records that wait in the spool. REQUIRES met(). Any thread.
  Sequence backlog() { return spool_.info().last - shipped_; }

 private:
  Sequence send(std::span<Parcel> parcels);

  Journal& spool_;
  SharedJournal& shared_;
  std::uint16_t writer_;
  std::unique_ptr<JournalReader> reader_;
  Sequence sent_;       // what may be stored: at first all that the spool held when it was opened
  bool known_ = false;  // shipped_ is what the shared journal says
  std::atomic<bool> met_{false};  // it has said so once
  std::atomic<Sequence> shipped_{0};
  std::atomic<std::int64_t> shipped_us_{0};
};

}  // namespace neuralts::serve
