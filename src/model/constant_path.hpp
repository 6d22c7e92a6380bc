// The shortest way around the network: what an arm pays whatever the context, and how far that may be wrong.
//
// Arms scatter differently: one that always pays the same says nothing about the noise of the others, of which
// a few rewards must then not be believed too much. So the variance of an arm's rewards is its own, held by
// some imagined rounds to what is typical of arms: four times nothing is no sign that an arm never pays.
//
// Letters: n rounds of an arm, m the mean of its standardised rewards, S their squared differences from it, v
// what is typical: the variance of a reward if all arms that were played came equally often, not below 1, that
// of the rewards as they came.
//   s^2  = (S + c v) / (n + c)
//   mean = n m / (n + s^2)                                              the arms' means are N(0, 1) before their first reward
//   left = s^2 / (n + s^2) (1 + g log(all rounds / (arms n)))           more than 1 at most by the logarithm, which lets an arm given up
//                                                                       after a few bad rewards be tried again
//   below = min(0, average of mean over arms that were played) s^2 / (n + s^2)
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "math/running_moments.hpp"
#include "model/history_cursor.hpp"

namespace neuralts {

class ConstantPath {
 public:
  explicit ConstantPath(std::size_t arms) : arms_(arms), cursor_(arms) {}

  /// Forgets all rounds.
  void restart();
  /// Takes in the rounds of `history` that have come since the last call, so many of them at most; after
  /// restart(): all of them. Takes no memory.
  template <class T>
  void catch_up(const History<T>& history, const RoundWeights<T>& weights, std::size_t most = SIZE_MAX);
  /// Rounds of `history` that have come since the last catch_up().
  template <class T>
  std::size_t waiting(const History<T>& history) const {
    return cursor_.waiting(history);
  }

  /// Believed reward, in standard deviations from the mean.
  double mean(std::size_t arm) const;
  /// What is left of the prior variance.
  double left(std::size_t arm) const;
  /// What to expect of an arm beyond what its rewards tell: most rounds are of good arms, and one that was hardly played is
  /// likelier what arms are on average than what rounds are. Not above 0.
  double below(std::size_t arm) const { return average_below_ * untold(arm); }

  std::size_t memory() const { return arms_.size() * sizeof(math::RunningMoments) + cursor_.memory(); }
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  double own_variance(std::size_t arm) const;
  /// 0 .. 1: what the prior has of the mean.
  double untold(std::size_t arm) const;
  void summarise();

  std::vector<math::RunningMoments> arms_;
  HistoryCursor cursor_;
  double typical_ = 1, rounds_ = 0, average_below_ = 0;  // v; the sum of n; the average of mean, 0 at most
};

}  // namespace neuralts
