#include <algorithm>
#include <cmath>
#include <numbers>

#include "policy/theorem.hpp"
#include "neuralts/proof_events.hpp"

namespace neuralts::theory {

namespace {

// A normal exceeds its mean by one standard deviation at least this often, says the proof's anti-concentration bound.
const double least_optimism = 1 / (4 * std::numbers::e * std::sqrt(std::numbers::pi));

}  // namespace

void ProofEvents::count(const RoundOfProof& round, double nu) {
  const std::size_t K = round.mean.size();
  const double t = static_cast<double>(++rounds), c = theorem_draw_radius(t, static_cast<double>(K));
  const auto best = static_cast<std::size_t>(std::max_element(round.expected.begin(), round.expected.end()) - round.expected.begin());
  const auto saturated = [&](std::size_t k) { return round.expected[best] - round.expected[k] >= (1 + c) * nu * round.width[k]; };
  bool draw_outside = false, mean_outside = false;
  for (std::size_t k = 0; k < K; ++k) {
    draw_outside |= std::abs(round.draw[k] - round.mean[k]) > c * nu * round.width[k];
    mean_outside |= std::abs(round.mean[k] - round.expected[k]) > nu * round.width[k];
    saturated_arms += k != best && saturated(k);
  }
  arms += K;
  draws_outside += draw_outside;
  means_outside += mean_outside;
  optimistic += round.draw[best] > round.expected[best];
  unsaturated += round.arm == best || !saturated(round.arm);
  draws_outside_bound += 1 / (t * t);
  optimistic_bound += least_optimism;
  unsaturated_bound += std::max(0.0, least_optimism - 1 / (t * t));
}

void ProofEvents::add(const ProofEvents& other) {
  rounds += other.rounds;
  draws_outside += other.draws_outside;
  draws_outside_bound += other.draws_outside_bound;
  means_outside += other.means_outside;
  optimistic += other.optimistic;
  optimistic_bound += other.optimistic_bound;
  unsaturated += other.unsaturated;
  unsaturated_bound += other.unsaturated_bound;
  saturated_arms += other.saturated_arms;
  arms += other.arms;
}

}  // namespace neuralts::theory
