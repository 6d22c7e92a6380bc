// Whom to believe about what contexts of a decision have in common, and whom about what tells them apart: the reward is
// regressed on the forecasts of each part. A user who clicks on everything is forecast best by those who see users best,
// and these would be believed about items, too, of which they may know nothing.
//
// A part is believed by its own regression where that has forecast it better, of late, than the one on both in one.
#pragma once

#include "model/stacking.hpp"

namespace neuralts {

class PartStacking {
 public:
  using Numbers = Stacking::Numbers;
  struct Weights {
    Numbers common, apart;
  };
  static constexpr std::uint32_t each_since = 14;  // a file's version: before, both parts were believed or none

  explicit PartStacking(const Stacking& blank) : common_(blank), apart_(blank) {}

  /// A round: what each had said of the parts, the weights of the regression on both in one at that time, and what came;
  /// in standard deviations from the mean.
  void count(const Numbers& common, const Numbers& apart, const Numbers& together, double reward);
  /// Makes up its mind: what follows stands on the rounds counted until now.
  void believe() { common_.believe(), apart_.believe(); }
  /// As Stacking's.
  void rescale(double factor, double shift) { common_.rescale(factor, shift), apart_.rescale(factor, 0); }
  /// Those to believe where `together` are those of both parts in one.
  Weights weights(const Numbers& together) const { return {common_.weights(together), apart_.weights(together)}; }

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  struct Part {
    explicit Part(const Stacking& blank) : regression_(blank) {}
    void count(const Numbers& forecasts, const Numbers& together, double came);
    void believe() { own_ = regression_.mixture().weights(); }
    void rescale(double factor, double shift) { regression_.rescale(factor, shift), gain_ *= factor * factor; }
    const Numbers& weights(const Numbers& together) const { return gain_ > 0 ? own_ : together; }

    Stacking regression_;
    Numbers own_{};
    double gain_ = 0;  // sum with forgetting: of what its own weights have missed less than those together, squared
  };
  Part common_, apart_;
};

}  // namespace neuralts
