// `floor`: folded exactly into the choice and its probabilities, for every policy.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "policy/candidates.hpp"
#include "policy/small_world.hpp"

namespace neuralts {
namespace {

class Floor : public testing::TestWithParam<Candidate> {};

std::unique_ptr<Policy> with_floor(const Candidate& candidate, const std::string& floor) {
  PolicySpec spec = candidate.spec(disjoint_world.shape);
  spec.params["floor"] = floor;
  return make_policy(spec);
}

TEST_P(Floor, EveryArmHasItAndTheProbabilitiesAreThoseOfTheMixture) {
  const auto plain = make_policy(GetParam().spec(disjoint_world.shape)), raised = with_floor(GetParam(), "0.05");
  for (std::size_t i = 0; i < 9; ++i) {
    std::vector<double> numbers;
    const Contexts contexts = disjoint_world.contexts(i, numbers);
    const Finished round{contexts[i % 3], disjoint_world.reward(contexts[i % 3])};
    plain->learn(std::span(&round, 1));
    raised->learn(std::span(&round, 1));
  }
  std::vector<double> numbers;
  const Contexts contexts = disjoint_world.contexts(50, numbers);
  Stream one(3, Purpose::exploration), other = one;
  Scratch scratch;
  Decision a, b;
  plain->select(contexts, one, scratch, a);
  raised->select(contexts, other, scratch, b);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_GE(b.probabilities[k], 0.05 - 1e-12);
    EXPECT_NEAR(b.probabilities[k], 0.85 * a.probabilities[k] + 0.05, 1e-12);
  }
  EXPECT_NEAR(std::accumulate(b.probabilities.begin(), b.probabilities.end(), 0.0), 1, 1e-9);
  EXPECT_EQ(b.probability, b.probabilities[b.arm]);
}

INSTANTIATE_TEST_SUITE_P(All, Floor, testing::ValuesIn(candidates()), candidate_name);

// Draws agree with the probabilities: 20,000 draws, five standard errors (a chance of 6e-7 an arm for a right
// sampler).
TEST(FloorDraws, AgreeWithTheProbabilities) {
  const auto policy = make_policy({.name = "linear-ucb", .params = {{"floor", "0.1"}}, .shape = {.length = 2}});
  const std::vector<double> numbers{1, 0, 0, 1, 0.5, 0.5, -1, 0};
  const Contexts contexts = Contexts::per_arm(numbers, 4);
  Stream explore(1, Purpose::exploration);
  Scratch scratch;
  Decision decision;
  std::vector<double> counts(4, 0.0);
  constexpr double draws = 20000;
  for (int i = 0; i < draws; ++i) {
    policy->select(contexts, explore, scratch, decision);
    ++counts[decision.arm];
  }
  for (std::size_t k = 0; k < 4; ++k) {
    const double p = decision.probabilities[k];
    EXPECT_NEAR(counts[k] / draws, p, 5 * std::sqrt(p * (1 - p) / draws)) << k;
  }
}

TEST(FloorDraws, AFloorAboveAnEvenShareIsTheEvenShare) {
  const auto policy = make_policy(
      {.name = "linear-ucb", .params = {{"floor", "1"}}, .shape = {.length = 1, .blocks = 4}});
  const std::vector<double> x{1};
  Stream explore(1, Purpose::exploration);
  Scratch scratch;
  Decision decision;
  policy->select(Contexts::disjoint(x, 4), explore, scratch, decision);
  for (const double p : decision.probabilities) EXPECT_DOUBLE_EQ(p, 0.25);
}

}  // namespace
}  // namespace neuralts
