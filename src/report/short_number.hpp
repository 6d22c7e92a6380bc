// Numbers in tables for people.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace neuralts {

/// Four places after the point, as columns of values are read; four digits where those would say nothing or too
/// much: 0.00002 is no 0.0000.
inline std::string short_number(double value) {
  const double size = std::abs(value);
  return value == 0 || (size >= 0.01 && size < 1e6) ? fmt::format("{:.4f}", value) : fmt::format("{:.4g}", value);
}

}  // namespace neuralts
