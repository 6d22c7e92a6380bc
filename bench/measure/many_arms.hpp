// Decisions between many arms, each with numbers of its own, all probabilities included.
#pragma once

#include <cstddef>

#include "neuralts/params.hpp"

namespace neuralts::bench {

/// CPU seconds of one selection among `arms` contexts of 20 numbers by policy `name` with `params`, after
/// `rounds` learned rounds of a world whose rewards are smooth in the context.
double many_arms_seconds(const char* name, const Params& params, std::size_t arms, std::size_t rounds,
                         double budget);

}  // namespace neuralts::bench
