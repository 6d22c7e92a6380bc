// Text for a terminal of eighty columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "neuralts/params.hpp"

namespace neuralts::cli {

/// `text` broken between words into lines of at most 80 columns, each after `indent` spaces and ended by a newline.
/// A word longer than that stands alone on its line.
std::string wrap(std::string_view text, std::size_t indent);

/// A parameter for a listing: an empty line, key=default and range, what it means.
std::string describe(const ParamInfo& param);

}  // namespace neuralts::cli
