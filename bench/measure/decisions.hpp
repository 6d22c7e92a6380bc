// Times of whole decisions and whole runs, through the library's own interface.
#pragma once

#include <cstddef>

#include "neuralts/policy.hpp"

namespace neuralts::bench {

/// CPU seconds of a run: `rounds` rounds of disjoint contexts, d dense numbers, the right arm given by a hidden
/// linear rule.
double run_seconds(const PolicySpec& spec, std::size_t rounds);

/// CPU seconds of one selection with probabilities, after `rounds` rounds of the same world.
double select_seconds(const PolicySpec& spec, std::size_t rounds, double budget);

/// CPU seconds of the exact Thompson probabilities of `arms` arms.
double propensity_seconds(std::size_t arms, double budget);

}  // namespace neuralts::bench
