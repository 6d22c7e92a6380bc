// An entry as bytes: what a spool keeps of it, so that it can be handed on whole.
#pragma once

#include <string>
#include <string_view>

#include "serve/journal/shared_journal.hpp"

namespace neuralts::serve {

std::string wrap(const Entry& entry);
/// Throws Error(corrupt).
Entry unwrap(std::string_view bytes);

}  // namespace neuralts::serve
