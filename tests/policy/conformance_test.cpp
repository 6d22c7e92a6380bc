// What every policy promises (include/neuralts/policy.hpp): decisions, const selection, refusal of bad input.
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <thread>

#include "policy/candidates.hpp"
#include "policy/small_world.hpp"

namespace neuralts {
namespace {

void expect_sound(const Decision& d, std::size_t arms) {
  for (const auto* list : {&d.probabilities, &d.mean, &d.width, &d.score}) {
    ASSERT_EQ(list->size(), arms);
    for (const double value : *list) ASSERT_TRUE(std::isfinite(value));
  }
  ASSERT_LT(d.arm, arms);
  EXPECT_NEAR(std::accumulate(d.probabilities.begin(), d.probabilities.end(), 0.0), 1, 1e-9);
  EXPECT_EQ(d.probability, d.probabilities[d.arm]);
  EXPECT_GT(d.probability, 0);
  for (std::size_t k = 0; k < arms; ++k) {
    EXPECT_GE(d.probabilities[k], 0);
    EXPECT_GE(d.width[k], 0);
  }
}

class Conformance : public testing::TestWithParam<Candidate> {
 protected:
  std::unique_ptr<Policy> make(const SmallWorld& world, std::uint64_t seed = 1) const {
    return make_policy(GetParam().spec(world.shape, seed));
  }
};

TEST_P(Conformance, DecisionsAreSoundInEveryShape) {
  for (const SmallWorld& world : {per_arm_world, disjoint_world, SmallWorld{{.length = 2}, 1},
                                  SmallWorld{{.length = 1, .blocks = 2}, 1}, SmallWorld{{.length = 3}, 50},
                                  SmallWorld{{.length = 2, .blocks = 50}, 50}}) {
    const auto policy = make(world);
    Player player(world);
    for (int i = 0; i < 24; ++i) expect_sound(player.play(*policy), world.arms);
  }
}

TEST_P(Conformance, SomeOfTheArmsMayBeOffered) {
  const auto policy = make(disjoint_world);
  Player(disjoint_world).play(*policy, 12);
  const std::vector<double> x(disjoint_world.shape.length, 0.2);
  const std::vector<std::uint32_t> blocks{2, 0};
  Stream explore(1, Purpose::exploration);
  Scratch scratch;
  Decision decision;
  policy->select(Contexts::disjoint(x, blocks), explore, scratch, decision);
  expect_sound(decision, 2);
}

TEST_P(Conformance, ExactRepeatsAreLearnedWithoutBreakingDown) {
  for (const SmallWorld& world : {per_arm_world, disjoint_world}) {
    const auto policy = make(world);
    const std::vector<double> x(world.shape.length, 0.3);
    const Finished round{{x, 0}, 1.0};
    const std::vector<Finished> many(20, round);
    for (int i = 0; i < 5; ++i) {
      policy->played(round.context);
      policy->learn(many);
    }
    expect_sound(Player(world).play(*policy), world.arms);
  }
}

TEST_P(Conformance, ARunIsAPureFunctionOfItsSeed) {
  const auto first = make(disjoint_world), second = make(disjoint_world);
  EXPECT_TRUE(Player(disjoint_world).play(*first, 20) == Player(disjoint_world).play(*second, 20));
  EXPECT_EQ(state_of(*first), state_of(*second));
}

TEST_P(Conformance, SelectingChangesNothingAndAnswersAlikeFromManyThreads) {
  const auto policy = make(per_arm_world);
  Player player(per_arm_world);
  player.play(*policy, 20);
  const auto before = state_of(*policy);
  const auto ask = [&] {
    std::vector<Decision> answers(8);
    Stream explore(9, Purpose::exploration);
    Scratch scratch;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      std::vector<double> numbers;
      policy->select(per_arm_world.contexts(100 + i, numbers), explore, scratch, answers[i]);
    }
    return answers;
  };
  const auto expected = ask();
  std::vector<std::vector<Decision>> answers(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : answers) threads.emplace_back([&mine, &ask] { mine = ask(); });
  }
  for (const auto& mine : answers) EXPECT_TRUE(mine == expected);
  EXPECT_EQ(state_of(*policy), before);
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

TEST_P(Conformance, RefusesBadContextsBeforeAnythingIsDrawn) {
  const Shape& shape = disjoint_world.shape;
  const auto policy = make(disjoint_world);
  Player(disjoint_world).play(*policy, 12);
  const auto before = state_of(*policy);
  Stream explore(4, Purpose::exploration);
  const Stream::State stream = explore.state();
  Scratch scratch;
  Decision decision;
  const std::vector<double> good(shape.length, 0.1), longer(shape.length + 1, 0.1), shorter(shape.length - 1, 0.1);
  auto not_a_number = good, endless = good;
  not_a_number[2] = nan;
  endless[0] = -infinity;
  for (const auto& x : {longer, shorter, not_a_number, endless}) {
    EXPECT_THROW(policy->select(Contexts::disjoint(x, shape.blocks), explore, scratch, decision), ContractError);
    EXPECT_THROW(policy->played({x, 0}), ContractError);
    EXPECT_THROW(policy->offered(Contexts::disjoint(x, shape.blocks)), ContractError);
    EXPECT_THROW(policy->learn(std::vector<Finished>{{{good, 0}, 1.0}, {{x, 0}, 1.0}}), ContractError);
  }
  EXPECT_THROW(policy->select(Contexts{}, explore, scratch, decision), ContractError);
  EXPECT_THROW(policy->select(Contexts::disjoint(good, shape.blocks + 1), explore, scratch, decision),
               ContractError);
  EXPECT_THROW(policy->played({good, shape.blocks}), ContractError);
  EXPECT_THROW(policy->offered(Contexts{}), ContractError);
  for (const double reward : {nan, infinity, -infinity})
    EXPECT_THROW(policy->learn(std::vector<Finished>{{{good, 0}, 1.0}, {{good, 0}, reward}}), ContractError);
  EXPECT_EQ(state_of(*policy), before);
  EXPECT_EQ(explore.state(), stream);
}

TEST_P(Conformance, RefusesAShapeWithoutNumbers) {
  EXPECT_THROW(make_policy(GetParam().spec({.length = 0, .blocks = 2})), ContractError);
  EXPECT_THROW(make_policy(GetParam().spec({.length = 2, .blocks = 0})), ContractError);
}

INSTANTIATE_TEST_SUITE_P(All, Conformance, testing::ValuesIn(candidates()), candidate_name);

}  // namespace
}  // namespace neuralts
