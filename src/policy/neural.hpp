// Parameters of the neural belief.
#pragma once

#include <memory>
#include <vector>

#include "neuralts/settings.hpp"
#include "model/stacked_belief.hpp"
#include "policy/network_params.hpp"

namespace neuralts {

/// The network's keys and those of the posterior, and what each preset changes of them.
std::vector<ParamInfo> neural_params();
std::map<std::string, Params> neural_presets();

/// Reads them. Throws Error(bad_spec) for a value out of range.
NeuralSettings read_neural(const Settings& settings, const PolicySpec& spec);

/// The belief in the precision that the settings ask for.
std::unique_ptr<Belief> make_neural(const Settings& settings, const PolicySpec& spec);

}  // namespace neuralts
