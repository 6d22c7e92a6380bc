// Hands a node's spool on to the shared journal, in order, in batches. A batch that was stored and not
// answered is sent again and passed over there: every record arrives once.
#pragma once

#include <atomic>

#include "serve/journal/shared_journal.hpp"

namespace neuralts::serve {

class Shipper {
 public:
  Shipper(Journal& spool, SharedJournal& shared, std::uint16_t writer)
      : spool_(spool), shared_(shared), writer_(writer), reader_(spool.reader()) {}

  /// Sends up to `limit` records. False: nothing is left for now. Throws JournalError: it is tried again with
  /// the next call; and Error(corrupt): the shared journal misses records that the spool has forgotten. One
  /// thread.
  bool step(std::size_t limit);

  Sequence shipped() const { return shipped_; }
  std::int64_t shipped_us() const { return shipped_us_; }  ///< when the last record that was shipped was made
  /// Records that wait in the spool. Any thread.
  Sequence backlog() { return spool_.info().last - shipped_; }

 private:
  Journal& spool_;
  SharedJournal& shared_;
  const std::uint16_t writer_;
  std::unique_ptr<JournalReader> reader_;
  bool known_ = false;  // shipped_ is what the shared journal says
  std::atomic<Sequence> shipped_{0};
  std::atomic<std::int64_t> shipped_us_{0};
};

}  // namespace neuralts::serve
