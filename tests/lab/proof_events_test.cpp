#include <gtest/gtest.h>

#include <cmath>

#include "neuralts/proof_events.hpp"
#include "theory/worlds.hpp"

namespace neuralts::theory {
namespace {

// Two arms, nu = 1, sigma = 0.1, t = 1: c_1 = sqrt(2 log 2) = 1.18, so a draw may stray 0.118 and an arm is
// saturated from a shortfall of 0.218 on.
struct Case {
  const char* what;
  Row mean, draw, expected;
  std::size_t arm;
  std::size_t draws_outside, means_outside, optimistic, unsaturated, saturated_arms;
};

TEST(ProofEvents, CountsWhatTheProofDefines) {
  const Row width = {0.1, 0.1};
  const Case cases[] = {
      {"all is well, best arm pulled", {0.5, 0.2}, {0.6, 0.2}, {0.55, 0.15}, 0, 0, 0, 1, 1, 1},
      {"a draw strays", {0.5, 0.2}, {0.6, 0.33}, {0.55, 0.15}, 0, 1, 0, 1, 1, 1},
      {"a mean strays", {0.5, 0.2}, {0.6, 0.2}, {0.61, 0.15}, 0, 0, 1, 0, 1, 1},
      {"a saturated arm is pulled", {0.5, 0.3}, {0.41, 0.41}, {0.5, 0.25}, 1, 0, 0, 0, 0, 1},
      {"an unsaturated arm is pulled", {0.5, 0.3}, {0.41, 0.41}, {0.45, 0.25}, 1, 0, 0, 0, 1, 0},
  };
  for (const Case& c : cases) {
    ProofEvents events;
    events.count({c.mean, width, c.draw, c.expected, c.arm}, 1);
    EXPECT_EQ(events.draws_outside, c.draws_outside) << c.what;
    EXPECT_EQ(events.means_outside, c.means_outside) << c.what;
    EXPECT_EQ(events.optimistic, c.optimistic) << c.what;
    EXPECT_EQ(events.unsaturated, c.unsaturated) << c.what;
    EXPECT_EQ(events.saturated_arms, c.saturated_arms) << c.what;
  }
}

TEST(ProofEvents, BoundsAreTheLemmas) {
  ProofEvents events;
  const Row one = {0.5, 0.5};
  for (int t = 1; t <= 100; ++t) events.count({one, one, one, one, 0}, 1);
  double squares = 0;
  for (int t = 1; t <= 100; ++t) squares += 1.0 / (t * t);
  EXPECT_NEAR(events.draws_outside_bound, squares, 1e-12);
  EXPECT_NEAR(events.optimistic_bound, 100 / (4 * 2.718281828459045 * 1.7724538509055159), 1e-10);
  ProofEvents twice = events;
  twice.add(events);
  EXPECT_EQ(twice.rounds, 200U);
  EXPECT_DOUBLE_EQ(twice.unsaturated_bound, 2 * events.unsaturated_bound);
}

// The infinitely wide network, where the theorem needs no width condition: kernel Thompson sampling with the
// tangent kernel, in a world with |h| <= 1. Lemma 4.2: stray draws number at most 2 * sum t^-2 in expectation
// (Gaussian tails are far lighter); with n runs the count is a sum of independent indicators with mean at most
// 1.65 n, so 4 standard deviations above is a miss once in 30,000. Lemma 4.3: at delta = 0.1 a run strays with
// probability at most 0.1; of 12 runs 6 or more stray with probability below 1e-3.
TEST(ProofEvents, HoldInSimulationForTheInfinitelyWideNetwork) {
  const std::string text = "cosine:dim=4,arms=3,noise=0.1";
  const auto env = make_environment(text);
  EventSpec spec;
  spec.run.env = text;
  spec.run.policy.name = "kernel-ts";
  spec.run.policy.preset = "paper";
  spec.run.policy.params = {{"kernel", "ntk"}};
  spec.run.rounds = 60;
  spec.runs = 12;
  const auto found = simulate_events(*env, spec);
  const auto& events = found.events;
  ASSERT_EQ(events.rounds, 12U * 60);
  EXPECT_LE(static_cast<double>(events.draws_outside),
            events.draws_outside_bound + 4 * std::sqrt(events.draws_outside_bound));
  EXPECT_LT(found.runs_means_outside, 6U);
  const double rounds = static_cast<double>(events.rounds);
  EXPECT_GE(static_cast<double>(events.optimistic), events.optimistic_bound - 4 * std::sqrt(rounds) / 2);
  EXPECT_GT(events.optimistic, 0U);
  EXPECT_GE(static_cast<double>(events.unsaturated), events.unsaturated_bound);
  EXPECT_LT(found.regret, found.bound);
  EXPECT_GT(found.nu, 0);
}

TEST(ProofEvents, NeedAWorldThatTellsExpectedRewards) {
  auto data = random_world(5, 2, 3, false, 1);
  data.silent = true;
  EventSpec spec;
  spec.run.rounds = 5;
  EXPECT_THROW(simulate_events(LaidDownWorld(data), spec), Error);
}

TEST(ProofEvents, NeedAPolicyWithLambdaAndNu) {
  EventSpec spec;
  spec.run.env = "cosine:dim=3,arms=2";
  spec.run.rounds = 5;
  for (const char* policy : {"random", "neural-greedy", "bootstrap-nn"}) {
    spec.run.policy.name = policy;
    try {
      simulate_events(*make_environment(spec.run.env), spec);
      ADD_FAILURE() << policy;
    } catch (const Error& refused) {
      EXPECT_NE(std::string(refused.what()).find("which the proof is about: take neural-ts"), std::string::npos) << refused.what();
    }
  }
}

}  // namespace
}  // namespace neuralts::theory
