// Of several processes that share a journal, one at a time makes or changes what all of them use.
#pragma once

#include <memory>

#include "serve/journal/journal.hpp"

namespace neuralts::serve {

/// `turn`: what Journal::turn() gave. Throws JournalError: several share the journal, and it was out of reach.
inline void require_turn(bool several, const std::shared_ptr<void>& turn) {
  if (several && !turn)
    throw JournalError(JournalError::Why::failed, "journal", "the shared journal is away",
                       "nothing can be made or changed until it is back");
}

}  // namespace neuralts::serve
