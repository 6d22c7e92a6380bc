// Thompson sampling by one draw of the parameter that all arms share.
#pragma once

#include "neuralts/extend.hpp"

namespace neuralts {

/// Plays the largest of mean + nu F xi, xi ~ N(0, I) drawn once for all arms; equal scores are shared evenly.
/// REQUIRES a belief whose predictor is a JointPredictor. The probabilities are exact for two arms and an
/// average over `samples` draws otherwise (Decision::estimated).
ModelOver joint_draw(double nu, std::size_t samples);

/// The keys `draw` (joint | independent) and `propensity_draws`, for policies that offer both kinds of draw.
ParamInfo joint_draw_info();
ParamInfo propensity_draws_info();

}  // namespace neuralts
