// The keys `inputs` and `rewards`, of every policy that can see contexts and rewards standardised.
#pragma once

#include "model/standardised.hpp"
#include "neuralts/policy_spec.hpp"
#include "neuralts/settings.hpp"

namespace neuralts {

ParamInfo inputs_info();
ParamInfo rewards_info();

StandardisedSettings read_standardised(const Settings& settings, const Shape& shape, double intercept);

/// Bytes that a saved belief has for its scale at least: what a file must hold before memory of its claimed
/// shape is taken.
double least_standardised_state(const PolicySpec& spec, const Settings& settings);

/// Whether a belief under these settings sees anything else than what it is given.
inline bool changes_anything(const StandardisedSettings& s) {
  return s.standardise.inputs || s.standardise.rewards || s.intercept > 0;
}

}  // namespace neuralts
