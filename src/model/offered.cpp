#include "model/offered.hpp"

#include <algorithm>
#include <cmath>

namespace neuralts {

namespace {

// Of what is more unknown than usual, by its logarithm: at most; where all is noise.
constexpr double rarity_draw = 16, rarity_draw_of_noise = 0.1;
// Of what is missing to the mean; times as rare as who is least so.
constexpr double second_chance = 3, much_rarer = 4;
constexpr double least_unknown = 1e-6;
constexpr double near = 0.1;  // variance between the contexts of a decision, of their mean square

double least_of(std::span<const Offered> offered, double Offered::*part) {
  double least = 1;
  for (const Offered& one : offered) least = std::min(least, one.*part);
  return std::max(least, least_unknown);
}

double rarity_counts(double noise) {
  const double squared = noise * noise;
  return std::min(rarity_draw, rarity_draw_of_noise / (squared * squared));
}

// How many of the rounds taken in were of contexts like this one.
double rounds_like(const Offered& offered, double noise) {
  return noise * (1 / std::clamp(offered.unknown, least_unknown, 1.0) - 1) / offered.size;
}

// Variance between the contexts of a decision, 0 .. 1, as a share of what is much; 1 where nothing tells them apart.
template <class T>
double apart(const Batch<T>& batch, std::size_t length) {
  const auto n = static_cast<double>(batch.n);
  double between = 0, size = 0;
  for (std::size_t column = 0; column < length; ++column) {
    const T* const x = batch.x + column;
    double sum = 0, squares = 0;
    for (std::size_t k = 0; k < batch.n; ++k) {
      const double number = static_cast<double>(x[k * batch.ldx]), differs = number - static_cast<double>(x[0]);
      sum += differs, squares += differs * differs, size += number * number;
    }
    between += squares - sum * sum / n;
  }
  return between > 0 ? std::min(1.0, between / (n - 1) / (near * size / n)) : 1;
}

}  // namespace

double told_by_name(const Contexts& contexts) {
  std::size_t same = 0, differ = 0, names = 0;
  for (std::size_t column = 0; column < contexts.length(); ++column) {
    const auto of = [&](std::size_t arm) { return contexts[arm].values[column]; };
    auto other = of(0);
    bool two = true;
    for (std::size_t arm = 1; arm < contexts.arms(); ++arm) {
      same += of(arm) == of(arm - 1);
      if (other == of(0)) other = of(arm);
      two = two && (of(arm) == of(0) || of(arm) == other);
    }
    differ += other != of(0);
    names += two && other != of(0);
  }
  if (differ == 0) return contexts.arms() > 1 ? 1 : 0;
  const double all = static_cast<double>((contexts.arms() - 1) * contexts.length());
  return std::min(1.0, 2 * static_cast<double>(same) / all) * static_cast<double>(names) / static_cast<double>(differ);
}

// Contexts near each other are unsure of nearly the same: a draw for each as wide as that would decide alone.
template <class T>
void leave_out_common(const Batch<T>& batch, std::size_t length, std::span<double> width) {
  const double common = 1 - apart(batch, length);
  if (common == 0) return;
  const double least = *std::min_element(width.begin(), width.end()), less = common * least * least;
  for (double& one : width) one = std::sqrt(one * one - less);
}
template void leave_out_common(const Batch<float>&, std::size_t, std::span<double>);
template void leave_out_common(const Batch<double>&, std::size_t, std::span<double>);

// One is new if less is known of it than of those that are played, and than of others it is offered with: what all of
// them have in common tells none apart. It grows with the logarithm of how much less: what is played gets known, and an
// action given up after one bad reward would never be tried again; but where rewards are noise a bad one says little, and
// all actions would be tried again for ever.
void add_rarity(std::span<const Offered> offered, const RewardScale& rewards, double usually_unknown,
                std::span<double> width) {
  const double usual = std::max(usually_unknown, least_of(offered, &Offered::unknown)),
               counts = rarity_counts(rewards.noise);
  for (std::size_t k = 0; k < width.size(); ++k) {
    const auto& [size, left, drawn, unknown] = offered[k];
    if (unknown > usual)
      width[k] = std::hypot(
          width[k], rewards.deviation * std::sqrt(size * (unknown - usual) * (1 + counts * std::log(unknown / usual))));
  }
}

// An action that paid nothing twice, beside one that always pays the same: by what is played there is no noise, so two
// rewards tell all, and it would never be tried again. Where that is noise anyway, widths see to it.
void give_second_chances(std::span<const Offered> offered, const RewardScale& rewards, std::span<const double> mean,
                         std::span<double> chances) {
  const auto& [level, deviation, noise] = rewards;
  std::transform(offered.begin(), offered.end(), chances.begin(),
                 [&](const Offered& one) { return rounds_like(one, rewards.noise); });
  const double usual = much_rarer / (1 + *std::max_element(chances.begin(), chances.end()));
  for (std::size_t k = 0; k < chances.size(); ++k) {
    const double missing = std::max(0.0, (level - mean[k]) / deviation - std::sqrt(noise)),
                 rare = std::max(0.0, 1 / (1 + chances[k]) - usual);
    chances[k] = second_chance * deviation * missing * rare;
  }
}

// An arm that seems worse for contexts like this one is given up after a few rewards, and where rewards are noise these
// mislead: each word of a column is a world of its own, in some of which the best arm is never played again. More of it is
// left than would be of the best known arm had all arms shared that one's rounds. Where contexts do not matter the constant
// sees to it.
void add_neglect(std::span<const Offered> offered, const RewardScale& rewards, double draw, double part,
                 std::span<double> width) {
  const double usual = static_cast<double>(offered.size()) * least_of(offered, &Offered::left),
               counts = rewards.noise * part;
  for (std::size_t k = 0; k < width.size(); ++k) {
    const auto& [size, left, drawn, unknown] = offered[k];
    if (left > usual)
      width[k] = std::hypot(
          width[k], rewards.deviation * draw * std::sqrt(counts * size * drawn * std::log(left / usual)));
  }
}

}  // namespace neuralts
