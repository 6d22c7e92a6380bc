// Worlds whose value is known, as streams of judged events: what intervals are tried on.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "evaluate/judged.hpp"
#include "neuralts/random.hpp"

namespace neuralts::evaluation {

struct KnownLog {
  double truth = 0;
  double most = 1;  ///< weights are at most that
  std::uint64_t seed = 0;
  std::vector<Judged> events{};
};

/// Heavy weights: w in {0, 2, 1000} with E[w] = 1 and E[w^2] = 100, r in {0, 1}. The value is uniform on [0,
/// 1]; how much of it comes from w = 2 is uniform on what is possible.
inline KnownLog heavy_log(std::size_t n, std::uint64_t seed) {
  Stream stream(seed, Purpose::environment);
  const double rare = 98. / 998000, common = (1 - 1000 * rare) / 2;  // of w = 1000 and w = 2
  const double truth = stream.uniform(), from_common = 2 * common, from_rare = 1000 * rare;
  const double least = std::max(0.0, (truth - from_rare) / from_common), most = std::min(1.0, truth / from_common);
  const double at_common = least + (most - least) * stream.uniform();
  const double at_rare = (truth - from_common * at_common) / from_rare;
  KnownLog log{truth, 1000, seed};
  for (std::size_t i = 0; i < n; ++i) {
    const double u = stream.uniform(), coin = stream.uniform();
    const double w = u < rare ? 1000 : u < rare + common ? 2 : 0;
    log.events.push_back({.weight = w, .reward = coin < (w == 2 ? at_common : w == 0 ? 0.5 : at_rare) ? 1. : 0.});
  }
  return log;
}

/// A bandit of four actions whose logging policy learns while it logs: epsilon-greedy on its own counts,
/// epsilon falling from 1 to 0.2. The judged policy plays action 3 with probability 0.7 and the others alike. A
/// model is there whose predictions are off by 0.1.
inline KnownLog learning_log(std::size_t n, std::uint64_t seed, double k = 0) {
  constexpr double epsilon = 0.2;
  constexpr std::array<double, 4> means{0.3, 0.5, 0.45, 0.6}, target{0.1, 0.1, 0.1, 0.7};
  Stream stream(seed, Purpose::environment);
  std::array<double, 4> earned{}, played{};
  KnownLog log{.seed = seed};
  for (std::size_t b = 0; b < 4; ++b) log.truth += target[b] * means[b];
  log.most = 0.7 / (epsilon / 4);
  for (std::size_t i = 0; i < n; ++i) {
    const double explore = std::max(epsilon, 1 / std::sqrt(1 + 0.01 * static_cast<double>(i)));
    std::size_t best = 0, arm = 0;
    for (std::size_t b = 1; b < 4; ++b)
      if (earned[b] * (played[best] + 1) > earned[best] * (played[b] + 1)) best = b;
    std::array<double, 4> h;
    for (std::size_t b = 0; b < 4; ++b) h[b] = explore / 4 + (b == best ? 1 - explore : 0);
    for (double left = stream.uniform(); arm < 3 && left >= h[arm]; ++arm) left -= h[arm];
    const double reward = stream.uniform() < means[arm] ? 1 : 0;
    earned[arm] += reward, played[arm] += 1;
    Judged event{.weight = target[arm] / h[arm], .reward = reward};
    event.predicted = means[arm] - 0.1;
    for (std::size_t b = 0; b < 4; ++b) {
      const double q = means[b] - 0.1;
      event.expected += target[b] * q;
      event.floor += std::min(target[b] * q, k * h[b]);
      event.loss_floor += std::min(target[b] * (1 - q), k * h[b]);
    }
    log.events.push_back(event);
  }
  return log;
}

}  // namespace neuralts::evaluation
