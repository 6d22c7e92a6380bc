// A table for a terminal: columns aligned, nothing else.
#pragma once

#include <string>

#include "neuralts/lab.hpp"

namespace neuralts::cli {

std::string align(const ReportTable& table);

}  // namespace neuralts::cli
