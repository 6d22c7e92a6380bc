#include "evaluate/interval.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace neuralts::evaluation {

Interval bounded(const Interval& interval, const Range& range) {
  return std::isfinite(interval.high - interval.low) ? interval : Interval{range.low, range.high};
}

Interval joined(const Interval& one, const Interval& other) {
  return {std::min(one.low, other.low), std::max(one.high, other.high)};
}

Interval unvaried_interval(double value, std::size_t n, const Range& range, double confidence) {
  const double others = 1 - binomial_interval(n, n, confidence).low;
  return {value - others * (value - range.low), value + others * (range.high - value)};
}

Interval student_interval(double value, double error, std::size_t n, double confidence) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (n < 2) return {-infinity, infinity};
  const boost::math::students_t student(static_cast<double>(n - 1));
  const double half = error * quantile(complement(student, (1 - confidence) / 2));
  return {value - half, value + half};
}

Interval binomial_interval(std::size_t successes, std::size_t n, double confidence) {
  const double tail = (1 - confidence) / 2, hits = static_cast<double>(successes),
               misses = static_cast<double>(n - successes);
  Interval found{0, 1};
  if (successes > 0) found.low = quantile(boost::math::beta_distribution<>(hits, misses + 1), tail);
  if (successes < n) found.high = quantile(complement(boost::math::beta_distribution<>(hits + 1, misses), tail));
  return found;
}

}  // namespace neuralts::evaluation
