// An interval, and those that need only a mean and its spread, or a count.
#pragma once

#include <cstddef>

namespace neuralts::evaluation {

struct Interval {
  double low = 0, high = 0;
};

/// The values a reward can take: what is known before the log is read.
struct Range {
  double low = 0, high = 1;
  double width() const { return high - low; }
  double middle() const { return low + width() / 2; }
};

/// `interval` where it ends, else all of `range`: what too few events leave open.
Interval bounded(const Interval& interval, const Range& range);

/// The least interval that holds both.
Interval joined(const Interval& one, const Interval& other);

/// Of a mean of `n` rewards that all were `value`: others may be as frequent as failures among n trials that all
/// succeeded (Clopper-Pearson). Without a reward all of `range`.
Interval unvaried_interval(double value, std::size_t n, const Range& range, double confidence);

/// value -+ (t of n - 1 degrees of freedom) * error. Too narrow where weights are heavy-tailed.
/// With fewer than two events the whole line.
Interval student_interval(double value, double error, std::size_t n, double confidence);

/// Clopper-Pearson for the success probability of `successes` among `n` independent trials.
Interval binomial_interval(std::size_t successes, std::size_t n, double confidence);

}  // namespace neuralts::evaluation
