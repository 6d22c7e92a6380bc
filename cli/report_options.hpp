// A report as the command line asks for it: what takes a while is said on standard error.
#pragma once

#include <fmt/core.h>

#include "neuralts/lab.hpp"

namespace neuralts::cli {

inline ReportOptions report_options(const std::string& title, const std::string& data_dir, bool quiet) {
  ReportOptions options{.title = title, .data_dir = data_dir};
  if (!quiet) options.progress = [](const std::string& stage) { fmt::print(stderr, "{} ...\n", stage); };
  return options;
}

}  // namespace neuralts::cli
