// Clopper-Pearson for weighted rewards: an event counts as a success with probability w r / (largest possible
// w), drawn from a stream. Such trials are independent and succeed with probability v / (largest w) even while
// the logging policy learned, so the binomial interval is never wrong, and as wide as that suggests.
#pragma once

#include <cstdint>

#include "evaluate/judged.hpp"
#include "evaluate/interval.hpp"
#include "neuralts/random.hpp"

namespace neuralts::evaluation {

class Thinning {
 public:
  /// REQUIRES weights of at most `most`.
  Thinning(const Range& rewards, double most, std::uint64_t seed)
      : rewards_(rewards), most_(most), coins_(seed, Purpose::bootstrap, 1) {}

  void add(const Judged& event) {
    const double coin = coins_.uniform() * most_, reward = (event.reward - rewards_.low) / rewards_.width();
    ++count_;
    gains_ += coin < event.weight * reward ? 1 : 0;
    losses_ += coin < event.weight * (1 - reward) ? 1 : 0;
  }

  /// The low end from rewards, the high end from what is missing to the highest reward.
  Interval interval(double confidence) const;

 private:
  Range rewards_;
  double most_;
  Stream coins_;
  std::size_t count_ = 0, gains_ = 0, losses_ = 0;
};

}  // namespace neuralts::evaluation
