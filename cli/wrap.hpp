// Text for a terminal of eighty columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace neuralts::cli {

/// `text` broken between words into lines of at most 80 columns, each after `indent` spaces and ended by a newline.
/// A word longer than that stands alone on its line.
std::string wrap(std::string_view text, std::size_t indent);

}  // namespace neuralts::cli
