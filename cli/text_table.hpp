// A table for a terminal: columns aligned, nothing wider than it.
#pragma once

#include <string>

#include "neuralts/lab.hpp"
#include "wrap.hpp"

namespace neuralts::cli {

/// Columns that `width` does not hold follow below, behind the first one again.
std::string align(const ReportTable& table, std::size_t width = terminal_width());

}  // namespace neuralts::cli
