// Where a shared journal is opened: the one place that knows whether this build has PostgreSQL.
#pragma once

#include <memory>

#include "serve/journal/shared_journal.hpp"

namespace neuralts::serve {

/// True: an address of a shared journal (postgres://..., postgresql://...).
bool is_shared_address(const std::string& address);
struct SharedOptions {
  bool synchronous = true;  ///< a commit waits for the disk, and for synchronous standbys
  bool must_answer = true;  ///< false: it may be away for now; calls that need it fail until it is there
};
/// `instance`: a number that no other process has. Throws JournalError, or Error(unsupported) where the build
/// has no libpq.
std::unique_ptr<SharedJournal> open_shared_journal(const std::string& address, const SharedOptions& options,
                                                   std::uint64_t instance);

}  // namespace neuralts::serve
