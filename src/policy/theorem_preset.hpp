// The regret theorem's settings as a preset: lambda, nu, step and iterations that follow from T, R and delta.
#pragma once

#include <string>
#include <vector>

#include "neuralts/settings.hpp"

namespace neuralts {

/// `table` with the theorem's own keys, and `theorem` allowed as a value of lambda, nu, step and iterations.
std::vector<ParamInfo> with_theorem(std::vector<ParamInfo> table);

/// Algorithm 1 as it is proved: exact posterior, descent from theta_0 after every round.
Params theorem_preset();

/// `settings` with every value `theorem` replaced by its number; `table` is the one they were read with.
/// Throws Error(bad_spec) for a value out of range.
Settings resolve_theorem(const std::string& where, const std::vector<ParamInfo>& table, const Settings& settings);

/// What a user of the preset should read; `numbers` are resolved.
std::string theorem_note(const Settings& numbers);

}  // namespace neuralts
