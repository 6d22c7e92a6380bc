// What a predictor that will be asked very often can do beforehand.
#pragma once

#include <memory>

#include "neuralts/belief.hpp"

namespace neuralts {

class Preparable {
 public:
  virtual ~Preparable() = default;
  /// Predicts and saves as this one, but for rounding, and takes less time for each decision.
  virtual std::shared_ptr<const Predictor> prepared() const = 0;
};

}  // namespace neuralts
