// The contexts of a decision beside each other: which of them are tried for being less known than the others. Part of
// what StackedPredictor says; doc/exploration-log.md has the figures.
#pragma once

#include <cstddef>
#include <span>

#include "model/network.hpp"

namespace neuralts {

/// A context of a decision.
struct Offered {
  double size;  ///< |phi|^2
  /// Of the prior variance, 0 .. 1: if contexts matter; the part of it that is believed; where curve and network may
  /// hide something.
  double left, drawn, unknown;
};

/// Of the rewards: mean, standard deviation, and the share of their variance that nobody forecasts.
struct RewardScale {
  double level, deviation, noise;
};

/// 0 .. 1: how far contexts are the same one but for columns that name an action. Twice the share of numbers that are those of
/// the arm before, at most 1, and of the columns that are not the same for all arms the share of those with two numbers: a
/// one in the action's own column is a name, a price is a size, of which line and curve learn from all arms at once.
double told_by_name(const Contexts& contexts);
/// Contexts that share their weights, of `length` numbers: width less what they have in common, the more the nearer they are
/// to each other. What one is unsure of beyond the others stays.
template <class T>
void leave_out_common(const Batch<T>& batch, std::size_t length, std::span<double> width);
/// Contexts that share their weights: width for those of which more is unknown than usually and than of others offered.
void add_rarity(std::span<const Offered> offered, const RewardScale& rewards, double usually_unknown,
                std::span<double> width);
/// The same contexts: width, into `chances`, for those that are much rarer than others offered and whose mean lies below
/// what rewards are on average.
void give_second_chances(std::span<const Offered> offered, const RewardScale& rewards, std::span<const double> mean,
                         std::span<double> chances);
/// Arms with weights of their own: width for those of which much more is left than of the best known one. `draw` is what
/// their width is drawn by, `part` how far they are asked for at all.
void add_neglect(std::span<const Offered> offered, const RewardScale& rewards, double draw, double part,
                 std::span<double> width);

}  // namespace neuralts
