// Rewards on their way: played now, known later, or never.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "neuralts/run.hpp"

namespace neuralts {

/// Holds finished rounds until their rewards arrive. When a reward arrives is a function of (delay, seed,
/// round) alone.
class DelayQueue {
 public:
  DelayQueue(const Delay& delay, std::uint64_t seed) : delay_(delay), seed_(seed) {}

  /// `context` was played in `round` (from 1, growing) and earned `reward`; copied, so that it outlives the round.
  void push(std::size_t round, const Slice& context, double reward);
  /// What arrives at the end of `round`, in the order it was played. The views hold until the following call.
  std::span<const Finished> arrive(std::size_t round);

 private:
  struct Pending {
    std::vector<double> values;
    std::size_t block;
    double reward;
  };
  Delay delay_;
  std::uint64_t seed_;
  std::map<std::size_t, std::vector<Pending>> due_;  // by the round at whose end they arrive
  std::vector<Pending> arrived_;
  std::vector<Finished> finished_;
};

}  // namespace neuralts
