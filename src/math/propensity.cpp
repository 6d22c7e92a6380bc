// P(k) = int pdf_k(x) prod_{j != k} cdf_j(x) dx, marched from the highest score anybody can reach down to the
// lowest that can still win: the floor, max_j (mean_j - reach sigma_j). Scores are measured from the floor:
// every arm that matters lies within a few of its own sigmas of it, so that differences keep their digits
// however different the widths are.
#include "math/propensity.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "math/normal_panel.hpp"

namespace neuralts::math {

namespace {

constexpr double reach_down = 6.5;         // cdf(-6.5) = 4e-11: what the floor cuts off
constexpr double reach_up = 7.0;           // 1 - cdf(7) = 1e-12: what a thousand arms lose above is 1e-9
constexpr double panel_width = 3.5;        // in sigmas of the sharpest arm present, of up to sixteen
constexpr double negligible = 1e-11;       // below this chance of any draw so low the march ends
constexpr double smallest_sigma = 1e-290;  // narrower is a point: its inverse would overflow

struct Arm {
  double center, sigma;  // seen from the floor
  std::size_t index;
  double ceiling() const { return center + reach_up * sigma; }
};

bool is_point(double sigma) {
  return sigma < smallest_sigma;
}

// P(N(mean, sigma^2) > 0), with relative accuracy in both tails.
double positive_chance(double mean, double sigma) {
  return 0.5 * std::erfc(-mean / sigma / std::numbers::sqrt2);
}

void two_arms(std::span<const double> mean, std::span<const double> sigma, std::span<double> probability) {
  const double difference = mean[0] - mean[1], spread = std::hypot(sigma[0], sigma[1]);
  probability[0] = positive_chance(difference, spread);
  probability[1] = positive_chance(-difference, spread);
}

std::size_t floor_arm(std::span<const double> mean, std::span<const double> sigma) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < mean.size(); ++k)
    if (mean[k] - reach_down * sigma[k] > mean[best] - reach_down * sigma[best]) best = k;
  return best;
}

// The random arms that reach above the floor, highest ceiling first.
std::span<Arm> contenders(std::span<const double> mean, std::span<const double> sigma, std::size_t lowest,
                          Scratch& scratch) {
  const auto arms = scratch.take<Arm>(mean.size());
  std::size_t count = 0;
  for (std::size_t k = 0; k < mean.size(); ++k) {
    const Arm arm{mean[k] - mean[lowest] + reach_down * sigma[lowest], sigma[k], k};
    if (!is_point(arm.sigma) && arm.ceiling() > 0) arms[count++] = arm;
  }
  std::sort(arms.begin(), arms.begin() + static_cast<std::ptrdiff_t>(count),
            [](const Arm& a, const Arm& b) { return a.ceiling() > b.ceiling(); });
  return arms.first(count);
}

// The widest panel that is smooth for so many arms, in sigmas of the sharpest: the product of n equal cdfs rises the
// faster the more they are, within 1 / sqrt(2 ln n) sigmas and more abruptly from below. 0.15 keeps the error of one arm
// beside 10,000 equal ones below 1e-8.
double smooth_width(std::size_t arms) {
  const int doublings = static_cast<int>(std::bit_width(arms - 1)) - 4;  // of sixteen
  return doublings <= 0 ? panel_width : panel_width / (1 + 0.15 * doublings);
}

// Arms whose ceiling lies above the current panel, and the sharpest of them.
struct Front {
  std::size_t active;
  double sharpest;
  double pace() const { return smooth_width(active) * sharpest; }
};

// Where the panel that starts at `top` ends. A sharper arm joins it, and sharpens the pace, if its ceiling is
// near; if not, the panel stops at that ceiling.
double next_bottom(std::span<const Arm> arms, double top, Front& front) {
  while (front.active < arms.size()) {
    const Arm& next = arms[front.active];
    const double depth = top - next.ceiling(), pace = front.pace();
    if (depth >= pace) return std::max(next.ceiling(), top - pace);  // rounding must not carry the march past it
    if (depth > panel_width * next.sigma) return next.ceiling();
    front.sharpest = std::min(front.sharpest, next.sigma);
    ++front.active;
  }
  return std::max(0.0, top - front.pace());
}

// Fills mass[j] for contender j; returns the chance that all of them stay below the floor.
double march(std::span<const Arm> arms, Scratch& scratch, std::span<double> mass) {
  const auto center = scratch.take<double>(arms.size()), inverse = scratch.take<double>(arms.size());
  const auto working = scratch.take<ArmAtNodes>(arms.size());
  for (std::size_t j = 0; j < arms.size(); ++j) {
    center[j] = arms[j].center;
    inverse[j] = 1 / arms[j].sigma;
  }
  Front front{1, arms[0].sigma};
  for (double top = arms[0].ceiling(); top > 0;) {
    const double bottom = next_bottom(arms, top, front);
    const NormalArms present{center.first(front.active), inverse.first(front.active)};
    if (add_panel(present, bottom, top, working, mass) < negligible) return 0;
    top = bottom;
  }
  double below = 1;
  for (const Arm& arm : arms) below *= positive_chance(-arm.center, arm.sigma);
  return below;
}

void share_evenly(std::span<const double> mean, std::span<const double> sigma, double best, double mass,
                  std::span<double> probability) {
  const auto ties = [&](std::size_t k) { return is_point(sigma[k]) && mean[k] == best; };
  std::size_t count = 0;
  for (std::size_t k = 0; k < mean.size(); ++k) count += ties(k);
  for (std::size_t k = 0; k < mean.size(); ++k)
    if (ties(k)) probability[k] = mass / static_cast<double>(count);
}

}  // namespace

void thompson_propensity(std::span<const double> mean, std::span<const double> sigma, Scratch& scratch,
                         std::span<double> probability) {
  if (mean.size() == 2 && !(is_point(sigma[0]) && is_point(sigma[1]))) return two_arms(mean, sigma, probability);
  const std::size_t lowest = floor_arm(mean, sigma);
  const auto arms = contenders(mean, sigma, lowest, scratch);
  const auto mass = scratch.take<double>(arms.size());
  std::fill(mass.begin(), mass.end(), 0.0);
  std::fill(probability.begin(), probability.end(), 0.0);
  const double below = arms.empty() ? 1.0 : march(arms, scratch, mass);
  for (std::size_t j = 0; j < arms.size(); ++j) probability[arms[j].index] = mass[j];
  if (is_point(sigma[lowest])) share_evenly(mean, sigma, mean[lowest], below, probability);
  double sum = 0;
  for (const double p : probability) sum += p;
  for (double& p : probability) p /= sum;
}

}  // namespace neuralts::math
