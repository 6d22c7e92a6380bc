// Which of six forecasters to believe, told by their forecasts of rewards that none had seen: the regression
// of the reward on the forecasts, weights not negative, held to the last forecaster (the network) by an imagined
// round. Older rounds count less and less, since the network of that time is not today's.
//
// A network can fit anything, noise too, and where rewards are mostly noise the regression believes it by chance, as it
// does a curve. So the network is heard as far as the regression is evidently better with it than without, curve and
// bends as far as they are evidently better than the line, and neighbours as far as they are better than these. Where
// contexts share their weights a line is assumed while the curve has had few rounds for each of its weights; when none is
// evident later the curve may lead, and the imagined round speaks for it: in a world that no line tells, its forecasts
// are worth following before they are worth believing. Arms with weights of their own have fewer rounds each, and the
// line leads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "neuralts/archive.hpp"

namespace neuralts {

class Stacking {
 public:
  enum Forecaster : std::size_t { constant, line, curve, bends, neighbours, network, forecasters };
  using Numbers = std::array<double, forecasters>;
  /// What forecasters say by those weights.
  static double said(const Numbers& weights, const Numbers& forecasts);
  /// How far to go along with whoever lowers the squared error by `gain`, where `half` is gone along with by half.
  static double evident(double gain, double half);
  /// `part` of the first.
  static Numbers mixed(const Numbers& first, const Numbers& second, double part);
  static constexpr std::uint32_t bends_since = 9, neighbours_since = 11;  // a file's version
  /// What a round leaves of the sums before it.
  static constexpr double keep = 1 - 1.0 / 500;

  /// `curve_weights`: so many has the curve; where contexts share their weights a line is assumed at first, less and less
  /// as there were two thirds of as many rounds and more. 0: it is not.
  explicit Stacking(bool shared_weights, std::size_t curve_weights = 0)
      : shared_weights_(shared_weights), curve_weights_(static_cast<double>(curve_weights)) {}

  /// A round: what each had said, and what came. All in standard deviations from the mean. Who always says 0 is
  /// never believed.
  void count(const Numbers& forecasts, double reward);
  /// The rewards' unit and zero have changed: what was x is now factor x + shift. Rounds counted before count
  /// as if told in the new ones; where rewards turn out a hundred times larger than they seemed, who had
  /// forecast the small ones is no longer worth much.
  void rescale(double factor, double shift);
  struct Mixture {
    /// Each forecaster's, sum 1. The last one's is 1 before anything was counted. The first, who does not look at
    /// contexts, has nothing where the regression gives it less than half: either they matter or they do not.
    Numbers shares;
    /// How much of what the mixture says the rewards have followed: the sum of the regression's weights, a half at
    /// least and 1 at most. 1 before anything was counted, where there is a curve, and where arms have weights of
    /// their own.
    double followed;
    /// The shares with equal ones for all who have said anything but for neighbours, whom nobody asks before they are
    /// believed; fading over fifty rounds: how open it still is whom to believe.
    Numbers open_shares;
    /// followed * share.
    Numbers weights() const;
  };
  Mixture mixture() const;
  /// 0 .. 1: how evidently those who look at contexts forecast better than the constant.
  double contexts_matter() const;
  /// 1 at first, half after two hundred rounds: disagreement that lasts is no reason to try.
  double openness() const;
  /// The rounds after which it is that: who decides keeps the one, and so do its files.
  static double rounds_at(double openness);

  void save(Writer& out) const;
  void load(Reader& in);
  /// Whether there is anything of a forecaster in a file, and numbers of one, in which there may be none of who came later.
  static bool in_file(std::size_t forecaster, const Reader& in);
  static Numbers read(Reader& in);

 private:
  /// More than rounding.
  bool spoke(Forecaster one) const { return products_[one][one] > 1e-9; }
  /// How far they are heard, 0 .. 1: how evidently those before them forecast better with them.
  struct Heard {
    double bends = 0, neighbours = 0;
  };
  /// The weights of the regression, who is not evident held to who is: curve to line, bends to both, neighbours to these, the
  /// network to all of them.
  Numbers regression() const;
  /// The same among those who look at contexts.
  Numbers regression_by_contexts(const Heard& heard) const;
  Numbers line_and_curve(double noise) const;
  /// How far a line of shared weights leads, 0 .. 1, that lowers the squared error by `gain`.
  double line_leads(double gain, double noise) const;
  /// The same with bends and neighbours.
  Numbers exact_ones(double noise, const Heard& heard) const;
  Heard heard() const;
  /// Those over the forecasters of `among`, a bit for each; the imagined round speaks for one of them.
  Numbers regression(unsigned among, Forecaster speaks_for) const;
  /// The same, bends and neighbours by so much.
  Numbers regression(unsigned among, Forecaster speaks_for, const Heard& heard) const;
  /// `shares`, and equal ones for all who have said anything, which fade.
  Numbers opened(Numbers shares) const;
  /// What the squared error of the rounds counted is below that of saying 0.
  double gain(const Numbers& weights) const;
  /// That of one forecaster alone.
  double gain_of(Forecaster one) const { return gain(regression(1u << one, one)); }
  /// The variance that is left of a reward where the squared error has fallen by `gain`.
  double noise_at(double gain) const;

  bool shared_weights_;
  double curve_weights_;
  // Sums with forgetting: of products of the forecasts with each other, and with the reward; of the forecasts,
  // of rewards, of rounds.
  std::array<Numbers, forecasters> products_{};
  Numbers rewards_{}, forecast_sums_{};
  double reward_sum_ = 0, recent_ = 0;
  double rounds_ = 0;
};

}  // namespace neuralts
