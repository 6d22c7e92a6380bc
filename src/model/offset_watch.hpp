// Says when numbers lie far from zero against what they differ by: beliefs that know no intercept then read the
// offset as signal.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "math/running_moments.hpp"
#include "neuralts/learner.hpp"

namespace neuralts {

/// Looks at what a belief without scaling learns from. It changes nothing and is not saved: it tells of this
/// process's rounds.
class OffsetWatch {
 public:
  /// `length`: of the contexts.
  explicit OffsetWatch(std::size_t length) : length_(length) {}
  void see(std::span<const Finished> rounds) noexcept;
  /// What a person should know of rewards and columns, with what to do; empty: nothing.
  std::vector<std::string> notes() const;

 private:
  math::RunningMoments rewards_;
  std::size_t length_;
  std::vector<math::RunningMoments> columns_;  // from the first round on: a file may claim any length
};

}  // namespace neuralts
