// The key `forget`, of every policy whose belief can let go of the past.
#pragma once

#include "model/forgetting.hpp"
#include "neuralts/settings.hpp"

namespace neuralts {

ParamInfo forget_info();
/// Reads it. Throws Error(bad_spec) for a value out of range.
Forget read_forget(const Settings& settings);

}  // namespace neuralts
