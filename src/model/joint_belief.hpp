// A belief about one common parameter vector: its draws move all arms together.
#pragma once

#include "model/belief.hpp"

namespace neuralts {

class JointBelief : public Belief {
 public:
  /// Columns of the factors below.
  virtual std::size_t rank() const = 0;

  /// Mean and width as predict() gives them, and F (arms x rank, row-major): for xi ~ N(0, I) the vector mean + F xi is
  /// distributed as the arms' rewards are believed to be, correlations included.
  /// REQUIRES what predict() does, and all spans sized.
  virtual void predict_joint(const Contexts& contexts, Scratch& scratch, std::span<double> mean, std::span<double> width,
                             std::span<double> factors) const = 0;
};

}  // namespace neuralts
