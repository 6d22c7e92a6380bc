// Mean and deviation of numbers that come one after the other, by Welford's recurrence: no cancellation when
// the mean is large. A number of weight w is w of them.
#pragma once

#include <cmath>

#include "neuralts/archive.hpp"

namespace neuralts::math {

struct RunningMoments {
  /// Count: sum of weights; squares: the sum of squared differences from the mean.
  double count = 0, mean = 0, squares = 0;

  /// REQUIRES weight > 0.
  void add(double value, double weight = 1) {
    const double delta = value - mean;
    count += weight;
    mean = count == weight ? value : mean + weight * delta / count;  // weight * value / weight may be another number
    squares += weight * delta * (value - mean);
  }
  /// With n; 0 where nothing came.
  double deviation() const { return count > 0 ? std::sqrt(squares / count) : 0; }
  /// With n - 1; 0 of one number or none.
  double variance() const { return count > 1 ? squares / (count - 1) : 0; }

  void save(Writer& out) const {
    for (const double value : {count, mean, squares}) out.value(value);
  }
  void load(Reader& in) {
    for (double* value : {&count, &mean, &squares}) *value = in.value<double>();
  }
};

}  // namespace neuralts::math
