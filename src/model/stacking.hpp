// Which of four forecasters to believe, told by their forecasts of rewards that none had seen: the regression
// of the reward on the forecasts, weights not negative, held to the last forecaster (the network) by a few
// imagined rounds. Older rounds count less and less, since the network of that time is not today's.
#pragma once

#include <array>
#include <cstddef>

#include "neuralts/archive.hpp"

namespace neuralts {

class Stacking {
 public:
  static constexpr std::size_t forecasters = 4;
  using Numbers = std::array<double, forecasters>;

  /// A round: what each had said, and what came. All in standard deviations from the mean. Who always says 0 is
  /// never believed.
  void count(const Numbers& forecasts, double reward);
  /// The rewards' unit and zero have changed: what was x is now factor x + shift. Rounds counted before count
  /// as if told in the new ones; where rewards turn out a hundred times larger than they seemed, who had
  /// forecast the small ones is no longer worth much.
  void rescale(double factor, double shift);
  /// Each forecaster's share, sum 1. The last one's is 1 before anything was counted. The first, who does not
  /// look at contexts, has more than half or nothing: either they matter or they do not.
  Numbers shares() const;
  /// The same with equal shares for all who have said anything, fading over fifty rounds: how open it still is
  /// whom to believe.
  Numbers open_shares() const;
  /// 1 at first, half after two hundred rounds: disagreement that lasts is no reason to try.
  double openness() const;

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  // Sums with forgetting: of products of the forecasts with each other, and with the reward; of the forecasts,
  // of rewards, of rounds.
  std::array<Numbers, forecasters> products_{};
  Numbers rewards_{}, forecast_sums_{};
  double reward_sum_ = 0, recent_ = 0;
  double rounds_ = 0;
};

}  // namespace neuralts
