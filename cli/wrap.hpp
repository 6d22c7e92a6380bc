// Text for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "neuralts/params.hpp"

namespace neuralts::cli {

/// How many columns the terminal behind standard output has, or $COLUMNS says; where it is neither, there is no
/// end of them.
std::size_t terminal_width();

/// `text` broken between words into lines of at most `width` columns, each after `indent` spaces and ended by a
/// newline. A word longer than that stands alone on its line.
std::string wrap(std::string_view text, std::size_t indent, std::size_t width = 80);

/// A parameter for a listing: an empty line, key=default and range, what it means.
std::string describe(const ParamInfo& param);

}  // namespace neuralts::cli
