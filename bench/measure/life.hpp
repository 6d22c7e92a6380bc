// A learner's life: rounds learned a second, and what time and memory do as a million rounds pass.
#pragma once

#include <cstddef>
#include <vector>

namespace neuralts::bench {

struct LifePart {
  double us_a_round = 0;  ///< CPU time of deciding and learning, mean over the part
  double mib = 0;         ///< held for what was learned, at its end
};

/// `rounds` rounds of ten arms (20 numbers each, 100 units) by neural-ts with a preset and `memory` MiB, in
/// ten parts of equal length.
std::vector<LifePart> life(const char* preset, std::size_t memory, std::size_t rounds);

/// Rounds learned (not decided) a CPU second, one at a time, after `before` of them.
double learned_rounds_a_second(const char* preset, std::size_t before, double budget);

/// CPU seconds of the longest of `rounds` calls that learn one round each, by neural-ts with a preset and
/// `memory` MiB, in a world whose columns move by two standard deviations meanwhile, so that all rounds that
/// are kept are scaled anew.
double longest_learn_seconds(const char* preset, std::size_t memory, std::size_t rounds);

}  // namespace neuralts::bench
