// The events the regret proof rests on, counted in simulation (Zhang, Zhou, Li, Gu 2021, Lemmas 4.2 to 4.5).
//
// Letters: f believed mean, sigma width, r~ draw, h expected reward, c_t = sqrt(4 log t + 2 log K). The proof's
// approximation error epsilon(m) is taken as 0, which makes every event harder to meet.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "neuralts/run.hpp"

#pragma GCC visibility push(default)
namespace neuralts::theory {

/// A round, one entry per arm.
struct RoundOfProof {
  std::span<const double> mean, width, draw, expected;
  std::size_t arm = 0;  ///< pulled
};

struct ProofEvents {
  std::size_t rounds = 0;

  std::size_t draws_outside = 0;     ///< rounds in which some |r~ - f| > c_t nu sigma
  double draws_outside_bound = 0;    ///< the expected number is at most sum_t t^-2 (Lemma 4.2)

  /// Rounds in which some |f - h| > nu sigma; in a run none at all, with probability 1 - delta (Lemma 4.3).
  std::size_t means_outside = 0;

  std::size_t optimistic = 0;        ///< rounds in which the best arm's draw exceeds its expected reward
  /// The expected number, in rounds with good means, is at least rounds / (4 e sqrt pi) (Lemma 4.4).
  double optimistic_bound = 0;

  /// Rounds in which the arm pulled was unsaturated: h* - h < (1 + c_t) nu sigma.
  std::size_t unsaturated = 0;
  /// The expected number is at least sum_t (1 / (4 e sqrt pi) - t^-2) (Lemma 4.5).
  double unsaturated_bound = 0;
  std::size_t saturated_arms = 0;    ///< saturated arms offered, of
  std::size_t arms = 0;              ///< all arms offered

  /// Counts round number `rounds + 1`.
  void count(const RoundOfProof& round, double nu);
  void add(const ProofEvents& other);
};

struct EventSpec {
  RunSpec run;             ///< policy and first seed; lambda, nu and the horizon are set from the theorem
  std::size_t runs = 10;   ///< seeds run.seed, run.seed + 1, ...
  std::size_t depth = 2;
  double noise = 0.1;      ///< R of the theorem; the world's own noise is part of run.env
  double delta = 0.1;
  std::size_t threads = 0;
};

struct EventSummary {
  ProofEvents events;                 ///< of all runs together
  std::size_t runs = 0;
  std::size_t runs_means_outside =
      0;  ///< runs in which the means left their band at least once: a share of at most delta is expected
  double nu = 0, regret = 0, bound = 0;  ///< means over the runs
  double delta = 0;
};

/// For every seed: the theorem's lambda and nu from the world's own contexts and expected rewards, then a run
/// with them. REQUIRES a world that tells expected rewards and a policy that draws per arm and has the
/// parameters lambda and nu. Throws Error(unsupported) otherwise.
EventSummary simulate_events(const Environment& env, const EventSpec& spec,
                             const std::function<void(std::size_t run, std::size_t runs)>& progress = {});

}  // namespace neuralts::theory
#pragma GCC visibility pop
