// Named features become columns, in order of appearance: what the two VW formats share.
#pragma once

#include "base/dictionary.hpp"
#include "log/logged.hpp"

namespace neuralts {

class LogFeatures {
 public:
  explicit LogFeatures(const LineReader& lines) : lines_(lines) {}

  /// Adds `value` of the feature `name` to `row`. Throws Error(bad_input) above a million features or for a value that is not finite.
  void add(Log::Row& row, const std::string& name, double value);

  /// A context per arm: the shared features, then its own.
  void finish_event(Log& log, LoggedEvent event, const Log::Row& shared, std::vector<Log::Row> actions) const;
  /// Names and shape, once all events are there.
  void finish(Log& log) const;

 private:
  const LineReader& lines_;
  Dictionary names_;
};

}  // namespace neuralts
