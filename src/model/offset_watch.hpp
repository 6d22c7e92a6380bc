// Says when numbers lie far from zero against what they differ by: beliefs that know no intercept then read the offset as signal.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "neuralts/learner.hpp"

namespace neuralts {

/// Looks at what a belief without scaling learns from. It changes nothing and is not saved: it tells of this process's rounds.
class OffsetWatch {
 public:
  /// `length`: of the contexts.
  explicit OffsetWatch(std::size_t length) : columns_(length) {}
  void see(std::span<const Finished> rounds) noexcept;
  /// What a person should know of rewards and columns, with what to do; empty: nothing.
  std::vector<std::string> notes() const;

 private:
  struct Spread {
    double count = 0, mean = 0, squares = 0;  // of differences from the mean
    void add(double value);
    /// |mean| in standard deviations; 0 where nothing is known or nothing differs.
    double offset() const;
    std::string told() const;
  };
  Spread rewards_;
  std::vector<Spread> columns_;
};

}  // namespace neuralts
