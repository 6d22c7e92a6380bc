// Parameters of the network and its training, shared by all policies that hold one.
#pragma once

#include <map>
#include <vector>

#include "neuralts/settings.hpp"
#include "model/fit_settings.hpp"
#include "neuralts/policy.hpp"

namespace neuralts {

/// The keys of a network and its training, and those that a policy adds.
std::vector<ParamInfo> network_params_and(const std::vector<ParamInfo>& own);

/// What the presets change of them, and what a policy adds to each.
std::map<std::string, Params> network_presets_and(const std::map<std::string, Params>& own);

/// What the preset `tuned` changes of the network's own keys.
Params tuned_network();

/// Reads the network's keys. Throws Error(bad_spec) for a value out of range.
FitSettings read_fit(const Settings& settings, const PolicySpec& spec);

/// The key `intercept`, for policies that read_fit_without_design() reads.
ParamInfo intercept_info();

/// The same for a policy without a design matrix, with the key `intercept`: a schedule that watches a design is
/// refused.
FitSettings read_fit_without_design(const Settings& settings, const PolicySpec& spec);

/// What the key `precision` asks for.
template <auto in_float32, auto in_float64>
std::unique_ptr<Learner> make_in_precision(const PolicySpec& spec, const Settings& settings) {
  return settings.is("precision", "float64") ? in_float64(spec, settings) : in_float32(spec, settings);
}

/// The fewest bytes of a saved network of that size, whatever its precision.
double least_network_state(const PolicySpec& spec, const Settings& settings);

}  // namespace neuralts
