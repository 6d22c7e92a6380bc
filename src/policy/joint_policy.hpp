// Thompson sampling by one draw of the parameter that all arms share.
#pragma once

#include <memory>

#include "model/joint_belief.hpp"
#include "policy/belief_policy.hpp"

namespace neuralts {

/// Plays the largest of mean + nu F xi, xi ~ N(0, I) drawn once for all arms; equal scores are shared evenly.
/// The probabilities are exact for two arms and an average over `samples` draws otherwise (Decision::estimated).
class JointPolicy final : public PolicyOverBelief {
 public:
  JointPolicy(PolicySpec spec, Params resolved, std::unique_ptr<JointBelief> belief, double nu, std::size_t samples);

 protected:
  void do_select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const override;

 private:
  const JointBelief& joint_;  // the belief
  double nu_;
  std::size_t samples_;
};

/// The keys `draw` (joint | independent) and `propensity_draws`, for policies that offer both kinds of draw.
ParamInfo joint_draw_info();
ParamInfo propensity_draws_info();

}  // namespace neuralts
