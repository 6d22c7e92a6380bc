// Numbers in data files, fast: most have few digits.
#pragma once

#include <optional>
#include <string_view>

namespace neuralts {

/// The whole text as a number, correctly rounded, or nothing. "inf" and "nan" are numbers here; the caller refuses them.
std::optional<double> read_number(std::string_view text);

}  // namespace neuralts
