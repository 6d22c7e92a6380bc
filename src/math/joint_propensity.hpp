// The probability that each of several correlated normal scores is the largest, estimated.
#pragma once

#include <span>
#include <vector>

#include "neuralts/random.hpp"
#include "neuralts/scratch.hpp"

namespace neuralts::math {

/// Scores mean + F xi with xi ~ N(0, I): one draw of a common parameter seen through each arm's factor (a row
/// of F).
struct JointScores {
  std::span<const double> mean;     ///< one per arm
  std::span<const double> factors;  ///< F, arms x rank, row-major
  std::size_t arms() const { return mean.size(); }
  std::size_t rank() const { return factors.size() / mean.size(); }
  std::span<const double> factor(std::size_t arm) const { return factors.subspan(arm * rank(), rank()); }
};

/// score = mean + F xi.
void joint_scores(const JointScores& scores, std::span<const double> xi, std::span<double> score);

/// Fills `probabilities` (one per arm, sum 1) with an average over `samples` lines through the space of xi,
/// each integrated exactly; exact for one and for two arms. The first line goes through `xi`, the draw that was
/// acted upon: so the arm it picked has a positive probability. The other lines are drawn from `stream`. Equal
/// scores are shared evenly. REQUIRES samples > 0, xi.size() == rank.
void joint_propensity(const JointScores& scores, std::span<const double> xi, std::size_t samples,
                      Stream& stream, Scratch& scratch, std::span<double> probabilities);

}  // namespace neuralts::math
