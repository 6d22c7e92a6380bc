// The one way in which arms get a least probability.
#pragma once

#include "neuralts/model.hpp"

namespace neuralts {

/// With probability `share` any arm, evenly, otherwise what was chosen: p' = (1 - share) p + share / K.
inline void spread_evenly(double share, Stream& explore, Decision& out) {
  const double arms = static_cast<double>(out.probabilities.size());
  for (double& p : out.probabilities) p = (1 - share) * p + share / arms;
  if (explore.uniform() < share) out.arm = explore.below(out.probabilities.size());
  out.probability = out.probabilities[out.arm];
}

}  // namespace neuralts
