// Diagnostics of a log for a policy, in one pass.
#pragma once

#include <array>
#include <span>

#include "neuralts/evaluate.hpp"

namespace neuralts::evaluation {

/// A player who bets that the mean weight is not what it should be. Each stake is fixed before the weight is
/// seen and cannot ruin: where the logged probabilities are right, the wealth ever reaches 1/p with probability
/// p at most.
class MeanWeightTest {
 public:
  /// `expected`: the conditional mean of the weight, `most`: the largest it can be, infinity when unknown.
  void add(double weight, double expected, double most);
  double p() const;

 private:
  double up_ = 0, down_ = 0, highest_ = 0;  // logarithms of wealth
  double squares_ = 1, count_ = 0;
};

class Inspector {
 public:
  Inspector();
  /// A judged event: its weight, the policy's mass on actions that the log never plays, the largest weight it
  /// could have had.
  void add(double weight, double unsupported, double most);
  /// The logged probabilities of all actions offered, and which was played.
  void add_logged(std::span<const double> probabilities, std::size_t arm);
  void add_open() { ++open_; }
  Diagnostics result() const;

 private:
  struct Bin {
    double actions = 0, probability = 0, variance = 0, played = 0;
  };
  static constexpr std::size_t bins = 20;
  std::array<Bin, bins> logged_{};
  std::vector<WeightBin> weights_;
  MeanWeightTest test_;
  std::size_t n_ = 0, open_ = 0, unsupported_events_ = 0;
  double sum_ = 0, squares_ = 0, largest_ = 0, unsupported_ = 0;
};

}  // namespace neuralts::evaluation
