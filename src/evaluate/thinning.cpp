#include "evaluate/thinning.hpp"

#include <algorithm>

namespace neuralts::evaluation {

Interval Thinning::interval(double confidence) const {
  const double low = most_ * binomial_interval(gains_, count_, confidence).low;
  const double missing = most_ * binomial_interval(losses_, count_, confidence).low;
  return {rewards_.low + rewards_.width() * std::min(1.0, low),
          rewards_.high - rewards_.width() * std::min(1.0, missing)};
}

}  // namespace neuralts::evaluation
