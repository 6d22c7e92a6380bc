// Numbers that are finite and still break arithmetic: what is taken is computed, what cannot be is refused
// before anything changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "neuralts/limits.hpp"
#include "policy/candidates.hpp"
#include "policy/small_world.hpp"

namespace neuralts {
namespace {

void expect_finite(const Decision& d) {
  for (const auto* list : {&d.probabilities, &d.mean, &d.width, &d.score})
    for (const double value : *list) ASSERT_TRUE(std::isfinite(value)) << value;
  ASSERT_NEAR(std::accumulate(d.probabilities.begin(), d.probabilities.end(), 0.0), 1, 1e-9);
  ASSERT_GT(d.probability, 0);
}

/// A life in which contexts and rewards are now and then as large as they may be; scales as in `scale_of`.
class HostileNumbers : public testing::TestWithParam<Candidate> {
 protected:
  void live(double context_scale, double reward_scale, bool always) const {
    for (const SmallWorld& world : {per_arm_world, disjoint_world}) {
      const auto policy = make_policy(GetParam().spec(world.shape));
      Stream explore(1, Purpose::exploration);
      Scratch scratch;
      Decision decision;
      for (std::size_t round = 0; round < 24; ++round) {
        const bool now = always || round % 5 == 4;
        std::vector<double> numbers;
        const Contexts contexts = world.contexts(round, numbers);
        const double largest = std::abs(*std::max_element(
            numbers.begin(), numbers.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
        if (now && largest > 0)
          for (double& value : numbers)
            value = std::clamp(value * (context_scale / largest), -context_scale, context_scale);
        policy->select(contexts, explore, scratch, decision);
        ASSERT_NO_FATAL_FAILURE(expect_finite(decision)) << "round " << round;
        const Slice played = contexts[decision.arm];
        const double reward = now ? (round % 2 == 0 ? reward_scale : -reward_scale) : world.reward(played);
        policy->played(played);
        policy->learn(std::vector<Finished>{{played, reward}});
      }
    }
  }
};

TEST_P(HostileNumbers, ContextsAsLargeAsTheyMayBe) { live(largest_number, 1, true); }
TEST_P(HostileNumbers, RewardsAsLargeAsTheyMayBe) { live(1, largest_number, true); }
TEST_P(HostileNumbers, BothAsLargeAsTheyMayBe) { live(largest_number, largest_number, true); }
TEST_P(HostileNumbers, LargeOnesAmongSmallOnes) { live(largest_number, largest_number, false); }
TEST_P(HostileNumbers, NumbersTooSmallToBeSquared) { live(1e-200, 1e-200, false); }

TEST_P(HostileNumbers, LargerOnesAreRefusedAndChangeNothing) {
  const auto policy = make_policy(GetParam().spec(disjoint_world.shape));
  Player(disjoint_world).play(*policy, 12);
  const auto before = state_of(*policy);
  Stream explore(4, Purpose::exploration);
  const Stream::State stream = explore.state();
  Scratch scratch;
  Decision decision;
  const std::vector<double> good(disjoint_world.shape.length, 0.1);
  for (const double huge : {1.0001e15, 1e19, 1e39, -1e160, 1e308}) {
    std::vector<double> bad = good;
    bad[3] = huge;
    EXPECT_THROW(policy->select(Contexts::disjoint(bad, disjoint_world.arms), explore, scratch, decision),
                 ContractError);
    EXPECT_THROW(policy->played({bad, 0}), ContractError);
    EXPECT_THROW(policy->learn(std::vector<Finished>{{{good, 0}, 1.0}, {{bad, 0}, 1.0}}), ContractError);
    EXPECT_THROW(policy->learn(std::vector<Finished>{{{good, 0}, 1.0}, {{good, 0}, huge}}), ContractError);
  }
  EXPECT_EQ(state_of(*policy), before);
  EXPECT_EQ(explore.state(), stream);
}

// Weights of 1e12 are finite, and so is what they make of contexts of size 1; of 1e15 it is more than a float
// holds.
TEST(HostileNetwork, WhatItCannotComputeIsRefusedAndChangesNothing) {
  const PolicySpec spec{.name = "neural-ucb",
                        .preset = "paper",
                        .params = {{"units", "4"}, {"precision", "float32"}},
                        .shape = {.length = 2},
                        .weights = std::vector<double>(2 * 4 + 4, 1e12)};
  const auto policy = make_policy(spec);
  Stream explore(1, Purpose::exploration);
  Scratch scratch;
  Decision decision;
  const std::vector<double> small = {1, 0.5, 0.5, 1}, huge = {1e15, 0.5, 0.5, 1};
  policy->select(Contexts::per_arm(small, 2), explore, scratch, decision);
  expect_finite(decision);
  const auto before = state_of(*policy);
  const auto stream = explore.state();
  EXPECT_THROW(policy->select(Contexts::per_arm(huge, 2), explore, scratch, decision), ContractError);
  EXPECT_THROW(policy->learn(std::vector<Finished>{{{std::span(small).first(2), 0}, 1.0},
                                                   {{std::span(huge).first(2), 0}, 1.0}}),
               ContractError);
  EXPECT_EQ(explore.state(), stream);
  EXPECT_EQ(state_of(*policy), before);
}

INSTANTIATE_TEST_SUITE_P(All, HostileNumbers, testing::ValuesIn(candidates()), candidate_name);

}  // namespace
}  // namespace neuralts
