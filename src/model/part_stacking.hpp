// Whom to believe about what contexts of a decision have in common, and whom about what tells them apart: the reward is
// regressed on the forecasts of each part. A user who clicks on everything is forecast best by those who see users best,
// and these would be believed about items, too, of which they may know nothing.
//
// Two regressions instead of one are heard as far as they have forecast evidently better.
#pragma once

#include "model/stacking.hpp"

namespace neuralts {

class PartStacking {
 public:
  using Numbers = Stacking::Numbers;
  struct Weights {
    Numbers common, apart;
  };

  explicit PartStacking(const Stacking& blank) : common_(blank), apart_(blank) {}

  /// A round: what each had said of the parts, all of them together of both, and what came; in standard deviations from
  /// the mean.
  void count(const Numbers& common, const Numbers& apart, double together, double reward);
  /// Makes up its mind: what follows stands on the rounds counted until now.
  void believe();
  /// As Stacking's.
  void rescale(double factor, double shift);
  /// Those to believe where `together` are those of both parts in one.
  Weights weights(const Numbers& together) const;

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  Stacking common_, apart_;
  Weights now_{};  // of the two regressions
  // Sums with forgetting, one step ahead: of what the two have missed less than the one, squared; of what was missed.
  double gain_ = 0, missed_ = 0, rounds_ = 0;
};

}  // namespace neuralts
