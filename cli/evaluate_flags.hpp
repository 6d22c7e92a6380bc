// What `evaluate` and `tune` share: the log and how it is judged.
#pragma once

#include <string>
#include <vector>

#include "neuralts/evaluate.hpp"

namespace CLI {
class App;
}

namespace neuralts::cli {

struct LogFlags {
  std::vector<std::string> logs, estimators;
  std::string interval = "auto", model = "linear-ts", since, until, rewards, loop;
  double confidence = 0.95;
  std::size_t folds = 5;
  std::uint64_t seed = 1;
  bool json = false, skip_bad = false, quiet = false;
};
/// `estimators`: which of them, and the default.
void add_log_flags(CLI::App& command, LogFlags& flags, const std::string& estimators);

/// Throws Error(bad_spec) for a time or a range that cannot be read.
EvaluationOptions options_of(const LogFlags& flags);

/// "2026-01-31", "2026-01-31T12:00:00Z", "2026-01-31T14:00:00+02:00" or seconds since 1970.
double parse_time(const std::string& flag, const std::string& text);

/// Lists of lists, as on the command line, one after another.
std::vector<std::string> items(const std::vector<std::string>& texts);

}  // namespace neuralts::cli
