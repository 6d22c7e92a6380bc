// Mean and deviation of numbers that come one after the other, by Welford's recurrence: no cancellation when the mean is large.
#pragma once

#include <cmath>

namespace neuralts::math {

struct RunningMoments {
  double count = 0, mean = 0, squares = 0;  ///< squares: the sum of squared differences from the mean

  void add(double value) {
    const double delta = value - mean;
    mean += delta / ++count;
    squares += delta * (value - mean);
  }
  /// With n; 0 where nothing came.
  double deviation() const { return count > 0 ? std::sqrt(squares / count) : 0; }
};

}  // namespace neuralts::math
