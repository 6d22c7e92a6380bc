// Parameters shared by the policies that hold a network.
#pragma once

#include <memory>
#include <vector>

#include "base/param_table.hpp"
#include "model/neural_belief.hpp"

namespace neuralts {

/// The keys of a neural belief, and what each preset changes of them.
std::vector<ParamInfo> neural_params();
std::map<std::string, Params> neural_presets();

/// Reads the keys of neural_params(). Throws Error(bad_spec) for a value out of range.
NeuralSettings read_neural(const Settings& settings, const PolicySpec& spec);

/// The belief in the precision that the settings ask for.
std::unique_ptr<Belief> make_neural(const Settings& settings, const PolicySpec& spec);

}  // namespace neuralts
