// What the network sees of contexts and rewards: raw, or centred and scaled by what has been observed so far.
//
// A column whose numbers are a thousand times smaller than another's (a row divided by its norm hides them so) weighs nothing
// in a raw inner product. Standardised, every column counts alike: a change of the prior's metric, made from the data.
// The statistics are refitted when the number of rounds has doubled; the history is mapped anew at that moment.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/history.hpp"
#include "model/network.hpp"
#include "neuralts/archive.hpp"
#include "neuralts/context.hpp"
#include "neuralts/scratch.hpp"

namespace neuralts {

struct StandardiserSettings {
  bool inputs = false;   ///< x -> (x - mean) / sd / sqrt(d), column by column, clipped at `clip` sd
  bool rewards = false;  ///< r -> (r - mean) / sd
  double clip = 2;       ///< in standard deviations: a rare column must not outshout all others
};

/// A scaling in force: part of what a decision needs.
template <class T>
class Scaling {
 public:
  /// Maps nothing.
  explicit Scaling(std::size_t d) : d_(d) {}

  /// x as the network sees it, into out (d numbers).
  template <class In>
  void map(std::span<const In> x, T* out) const;
  /// All contexts as the network sees them, in memory of `scratch`.
  Batch<T> map(const Contexts& contexts, Scratch& scratch) const;
  T map_reward(double reward) const { return static_cast<T>((reward - reward_mean_) / reward_scale_); }
  double mean(double f) const { return reward_mean_ + reward_scale_ * f; }
  double width(double sigma) const { return reward_scale_ * sigma; }

  void scale_inputs(std::vector<double> mean, std::vector<double> scale, double limit);
  void scale_rewards(double mean, double scale) { reward_mean_ = mean, reward_scale_ = scale; }

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  std::size_t d_;
  std::vector<double> mean_, scale_;  // out = (x - mean) * scale; empty: inputs are raw
  double limit_ = 0;                  // of |out|
  double reward_mean_ = 0, reward_scale_ = 1;
};

template <class T>
class Standardiser {
 public:
  Standardiser(const StandardiserSettings& settings, const Shape& shape) : settings_(settings), d_(shape.length), scaling_(d_) { restart(); }

  const Scaling<T>& scaling() const { return scaling_; }
  /// Counts a finished round.
  void observe(std::span<const double> x, double reward);
  bool active() const { return settings_.inputs || settings_.rewards; }
  /// When the count has doubled: takes over the statistics and maps `history` (with its raw numbers) anew. Returns whether it did.
  bool refit(History<T>& history);
  void restart();

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  StandardiserSettings settings_;
  std::size_t d_;
  std::size_t count_ = 0, fitted_ = 0;
  std::vector<double> sum_mean_, sum_square_;  // Welford: running mean and sum of squared deviations per column, rewards last
  Scaling<T> scaling_;
};

}  // namespace neuralts
