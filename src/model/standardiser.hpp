// What the network sees of contexts and rewards: raw, or centred and scaled by what has been observed so far.
//
// A column whose numbers are a thousand times smaller than another's (a row divided by its norm hides them so) weighs nothing
// in a raw inner product. Standardised, every column counts alike: a change of the prior's metric, made from the data.
// The statistics are refitted when the number of rounds has doubled; the history is mapped anew at that moment.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "model/history.hpp"
#include "neuralts/context.hpp"

namespace neuralts {

struct StandardiserSettings {
  bool inputs = false;   ///< x -> (x - mean) / sd / sqrt(d), column by column, clipped at `clip` sd
  bool rewards = false;  ///< r -> (r - mean) / sd
  double clip = 2;       ///< in standard deviations: a rare column must not outshout all others
};

template <class T>
class Standardiser {
 public:
  Standardiser(const StandardiserSettings& settings, const Shape& shape);

  /// x as the network sees it, into out (shape.length numbers).
  template <class In>
  void map(std::span<const In> x, T* out) const;
  T map_reward(double reward) const { return static_cast<T>((reward - reward_mean_) / reward_scale_); }
  double mean(double f) const { return reward_mean_ + reward_scale_ * f; }
  double width(double sigma) const { return reward_scale_ * sigma; }

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
  std::vector<double> mean_, scale_;           // in force: out = (x - mean) * scale
  double reward_mean_ = 0, reward_scale_ = 1;
};

}  // namespace neuralts
