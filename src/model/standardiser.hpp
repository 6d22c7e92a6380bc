// What a model sees of contexts and rewards: raw, or centred and scaled by what has been observed so far.
//
// A column whose numbers are a thousand times smaller than another's (a row divided by its norm hides them so)
// weighs nothing in a raw inner product. Standardised, every column counts alike: a change of the prior's
// metric, made from the data. The statistics are refitted when the number of rounds has grown by a factor; the
// history is mapped anew at that moment. From 16,384 rounds on that is done only where they have moved: what
// stands on the mapped rounds need not be made anew then.
//
// Nothing here knows where zero is or what a unit means: rounds are kept as differences from an early one (so
// that a large offset costs no digits), before the first fit every context looks alike, and a number that
// differs in a column that never varied is as far away as the clip allows. So x_j -> a x_j + b and r -> a r + b
// (a > 0) change nothing but rounding. Nor does a single wild number set the scale, or one that stands for something
// else than a size, such as -999 for "not known" (model/spread.hpp); it is seen as the clip.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "model/history.hpp"
#include "model/network.hpp"
#include "model/spread.hpp"
#include "neuralts/archive.hpp"
#include "neuralts/context.hpp"
#include "neuralts/learner.hpp"
#include "neuralts/scratch.hpp"

namespace neuralts {

struct StandardiserSettings {
  bool inputs = false;   ///< x -> (x - mean) / sd / sqrt(d), column by column, clipped at `clip` sd
  bool rewards = false;  ///< r -> (r - mean) / sd, clipped at `reward_clip` sd
  double clip = 2;       ///< in standard deviations: a rare column must not outshout all others
  double reward_clip = 8;
  /// Contexts as given are one number shorter than the model's: the last one is a constant, never standardised.
  bool intercept = false;
  double growth = 2;  ///< rounds, as a multiple of those at the last fit, at which the statistics are fitted anew
  /// Rounds that are mapped anew in one call; of more, some with every round that comes.
  std::size_t at_once = 10'000;
};

/// A scaling in force: part of what a decision needs.
template <class T>
class Scaling {
 public:
  /// Maps nothing.
  explicit Scaling(std::size_t d) : d_(d) {}

  /// x as the model sees it, into out (d numbers). A number less than d is an intercept's: what is not there is
  /// the constant.
  void map(std::span<const double> x, T* out) const;
  /// All contexts as the model sees them, in memory of `scratch`.
  Batch<T> map(const Contexts& contexts, Scratch& scratch) const;
  T map_reward(double reward) const;
  double mean(double f) const { return reward_mean_ + reward_slope_ * f; }
  double width(double sigma) const { return reward_scale_ * sigma; }
  double input_mean(std::size_t i) const { return mean_[i]; }
  double input_scale(std::size_t i) const { return scale_[i]; }

  /// Whether contexts have differed, as far as is known: where they never did they cannot matter. REQUIRES no
  /// intercept.
  bool varies() const;
  /// Whether rewards have differed: before that their unit is 1, whatever it should be.
  bool rewards_vary() const { return reward_slope_ > 0; }

  /// Columns of scale 0 never varied. Of an intercept's column the mean is -1: a number that is not there is 0,
  /// and is seen as `scale`. REQUIRES lists of d numbers, not negative scales.
  void scale_inputs(std::vector<double> mean, std::vector<double> scale, double limit);
  /// The same of one column, with the limit of all. REQUIRES lists.
  void scale_input(std::size_t i, double mean, double scale) { mean_[i] = mean, scale_[i] = scale; }
  void limit_inputs(double limit) { limit_ = limit; }
  bool scales_inputs() const { return !mean_.empty(); }
  /// Before the first fit: every context looks alike.
  void hide_inputs() { scale_inputs(std::vector<double>(d_), std::vector<double>(d_), 0); }
  /// map() of a row kept as differences from `origin`.
  void map_difference(std::span<const T> row, std::span<const double> origin, T* out) const;
  /// REQUIRES scale >= 0. With 0, rewards that never varied: every mean is theirs, whatever the model says, widths
  /// stay, and a reward that differs is 1 above or below.
  void scale_rewards(double mean, double scale, double limit);

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  static double bounded(double deviation, double scale, double limit);

  std::size_t d_;
  // Out = (x - mean) * scale, scale 0: a column that never varied; empty: inputs are raw.
  std::vector<double> mean_, scale_;
  double limit_ = 0;                  // of |out|
  double reward_mean_ = 0, reward_scale_ = 1, reward_slope_ = 1, reward_limit_ = 0;  // limit 0: none
};

/// The statistics of the first `weight` of `rounds`, contexts of d numbers, into `out`: of the round in which
/// that weight is reached the part up to it counts. Cannot fail where `out` scales inputs already and `column` has
/// room.
void fit_scaling(const StandardiserSettings& settings, std::size_t d, std::span<const Finished> rounds,
                 double weight, SpreadSample& column, Scaling<double>& out);

template <class T>
class Standardiser {
 public:
  Standardiser(const StandardiserSettings& settings, const Shape& shape) : settings_(settings), d_(shape.length), scaling_(d_) { restart(); }

  const Scaling<T>& scaling() const { return scaling_; }
  /// Counts a finished round.
  void observe(std::span<const double> x, double reward);
  bool active() const { return settings_.inputs || settings_.rewards; }
  /// When the count has grown enough: takes over the statistics of `history` (its raw numbers) and maps it
  /// anew. Returns whether it did. `weights` of its rounds; empty: all are 1. A call that throws has changed
  /// nothing.
  bool refit(History<T>& history, const RoundWeights<T>& weights);
  /// refit() that leaves the rounds as they are: map() them afterwards, in any parts. Rounds that are appended
  /// are mapped already.
  bool renew(History<T>& history, const RoundWeights<T>& weights);
  void map(History<T>& history, std::size_t block, std::size_t first, std::size_t rows) const;
  /// Whether the count has grown enough for refit() to look at the statistics.
  bool due(const History<T>& history) const;
  /// Of the rounds counted only so many are left, and what they say is asked for with the next refit(): the scale
  /// in force is that of rounds which are no longer believed.
  void forgot_all_but(std::size_t rounds) {
    if (!active()) return;
    count_ = rounds;
    fitted_ = looked_ = std::min<std::size_t>(fitted_, 1);  // grown enough at once, and still not "none yet"
  }
  /// Rounds counted at the last fit; 0: none yet.
  std::size_t fitted() const { return fitted_; }
  /// What the history keeps of a round: its difference from the origin. REQUIRES a round observed.
  void difference(std::span<const double> x, std::span<double> out) const;
  double difference(double reward) const { return reward - origin_.back(); }
  void restart();

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  std::size_t columns() const { return d_ - (settings_.intercept ? 1 : 0); }  // that are given
  Spread spread_of_column(const History<T>& history, const RoundWeights<T>& weights, std::size_t i);
  Spread spread_of_rewards(const History<T>& history, const RoundWeights<T>& weights);
  void fit_inputs(History<T>& history, const RoundWeights<T>& weights);
  void fit_rewards(History<T>& history, const RoundWeights<T>& weights);
  /// Whether the rounds' statistics are no longer those in force.
  bool moved(const History<T>& history, const RoundWeights<T>& weights);

  StandardiserSettings settings_;
  std::size_t d_;
  std::size_t count_ = 0, fitted_ = 0;
  // Rounds when it was last seen that the statistics have not moved; saved behind the origin.
  std::size_t looked_ = 0;
  // What rounds are kept as differences from, the reward last; empty before the first one.
  std::vector<double> origin_;
  SpreadSample column_;         // working memory
  Scaling<T> scaling_;
};

}  // namespace neuralts
