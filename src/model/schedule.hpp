// When to train: after every B rounds, when the history has grown by a share, or when the design has grown by a
// constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "neuralts/archive.hpp"

namespace neuralts {

/// Rounds between two pieces of work that are worth the less the more is known: of all rounds one in `part`, within
/// bounds.
struct Pace {
  double least = 1, most = 1, part = 5000;
  double rounds(std::size_t seen) const;
};

/// "every:B", "every:A..B" (after a 5,000th of all rounds, at least A and at most B; "every:A..B/N": after an N-th),
/// "geometric:SHARE" (every round at first), "logdet:C" (log det U has grown by C), "never".
class Schedule {
 public:
  /// False, and `out` undefined, when `text` is none of the forms.
  static bool parse(const std::string& text, Schedule& out);

  /// Never more often than after so many rounds. REQUIRES every:B or every:A..B.
  void slow_to(double rounds);

  /// Whether to train now, given how many rounds are finished, the design's log determinant, and how many
  /// rounds the history holds: a share is one of those.
  bool due(std::size_t rounds, double log_det, std::size_t held = SIZE_MAX) const;
  /// A training took place: true where another is due at once. With catch_up() every:B owes a training for
  /// every B rounds, also when many came together: few steps a training are enough for a round, not for a thousand.
  bool done(std::size_t rounds, double log_det);
  void catch_up() { catches_up_ = true; }
  /// As if a training had taken place, and none were owed.
  void skip(std::size_t rounds, double log_det) { last_rounds_ = rounds, last_log_det_ = log_det; }
  bool needs_log_det() const { return kind_ == Kind::log_det; }
  bool trains() const { return kind_ != Kind::never; }
  void restart() { last_rounds_ = 0, last_log_det_ = 0; }

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  enum class Kind { every, geometric, log_det, never } kind_ = Kind::every;

  double amount_ = 1;  // of `geometric` and `logdet`
  Pace pace_;          // of `every`
  bool catches_up_ = false;
  std::size_t last_rounds_ = 0;
  double last_log_det_ = 0;
};

}  // namespace neuralts
