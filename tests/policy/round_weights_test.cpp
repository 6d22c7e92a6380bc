// The weight of a round: 2 is the round twice, 0 is no round, in mean and width alike.
#include <gtest/gtest.h>

#include <algorithm>

#include "neuralts/policy.hpp"

namespace neuralts {
namespace {

constexpr std::size_t d = 3;

struct Round {
  std::vector<double> x;
  std::size_t block;
  double reward;
};

std::vector<Round> some_rounds(std::size_t blocks) {
  Stream stream(7, Purpose::environment);
  std::vector<Round> rounds;
  for (int i = 0; i < 24; ++i)
    rounds.push_back(
        {{stream.normal(), stream.normal(), stream.normal()}, stream.below(blocks), stream.normal()});
  return rounds;
}

Decision ask(const Policy& policy, const Shape& shape) {
  const std::vector<double> x{0.3, -0.2, 0.9}, two{0.3, -0.2, 0.9, 1, 0.1, -0.4};
  Stream explore(5, Purpose::exploration);
  Scratch scratch;
  Decision decision;
  policy.select(shape.blocks > 1 ? Contexts::disjoint(x, shape.blocks) : Contexts::per_arm(two, 2), explore,
                scratch, decision);
  return decision;
}

struct Case {
  std::string name;
  PolicySpec spec;
  double tolerance;
};

class RoundWeights : public testing::TestWithParam<Case> {};

// One training at the end, over all rounds at once, so that both histories are trained alike.
TEST_P(RoundWeights, TwoIsTwiceAndZeroIsNever) {
  const Shape shape = GetParam().spec.shape;
  const auto rounds = some_rounds(shape.blocks);
  std::vector<Finished> weighted, repeated;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const Finished round{{rounds[i].x, rounds[i].block}, rounds[i].reward};
    const double weight = static_cast<double>(i % 3);
    weighted.push_back({round.context, round.reward, weight});
    for (int copy = 0; copy < weight; ++copy) repeated.push_back(round);
  }
  const auto a = make_policy(GetParam().spec), b = make_policy(GetParam().spec);
  a->learn(weighted);
  b->learn(repeated);
  const Decision first = ask(*a, shape), second = ask(*b, shape);
  for (std::size_t k = 0; k < first.mean.size(); ++k) {
    EXPECT_NEAR(first.mean[k], second.mean[k], GetParam().tolerance) << k;
    EXPECT_NEAR(first.width[k], second.width[k], GetParam().tolerance) << k;
  }
}

const Shape per_arm{.length = d}, disjoint{.length = d, .blocks = 2};

// One training over all rounds, from theta_0: what mini-batches draw, how many steps rounds that come together
// ask for, and how well a line forecast a round that it had seen a moment before are not the same for a round
// and its copy, and not meant to be.
Params once(const std::string& preset, const Params& more = {}) {
  Params params{{"precision", "float64"}, {"iterations", "30"}, {"units", "8"}, {"start", "initial"}};
  if (preset == "tuned") params.insert({{"batch", "0"}, {"moments", "fresh"}, {"train", "every:1"}});
  params.insert(more.begin(), more.end());
  return params;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const std::string& policy, const std::string& preset, const Params& params,
                       double tolerance) {
    for (const Shape& shape : {per_arm, disjoint}) {
      std::string name = policy + "_" + preset + (shape.blocks > 1 ? "_blocks" : "") +
                         (params.contains("posterior") ? "_" + params.at("posterior") : "");
      std::replace(name.begin(), name.end(), '-', '_');
      all.push_back({name, {policy, preset, params, shape}, tolerance});
    }
  };
  for (const char* policy : {"linear-ts", "linear-ucb", "kernel-ts", "kernel-ucb"})
    for (const auto& [preset, values] : policy_info(policy).presets) add(policy, preset, {}, 1e-9);
  for (const std::string preset : {"paper", "released", "tuned"}) {
    for (const char* policy : {"neural-ts", "neural-ucb"})
      for (const char* posterior : {"exact", "diagonal"})
        add(policy, preset,
            once(preset, {{"posterior", posterior}, {"beside", "nothing"}, {"averaging", "0"}}), 1e-7);
    for (const char* policy : {"neural-linear", "neural-greedy"}) add(policy, preset, once(preset), 1e-7);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, RoundWeights, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

// Round by round, while the scale of the tuned presets is fitted anew again and again: also there two are one
// of weight 2.
TEST(RoundWeightsOneByOne, AreRoundsOneByOne) {
  for (const char* policy : {"linear-ts", "linear-ucb", "kernel-ts", "kernel-ucb"})
    for (const auto& [preset, values] : policy_info(policy).presets)
      for (const Shape& shape : {per_arm, disjoint}) {
        const PolicySpec spec{.name = policy, .preset = preset, .params = {}, .shape = shape};
        const auto a = make_policy(spec), b = make_policy(spec);
        const auto rounds = some_rounds(shape.blocks);
        for (std::size_t i = 0; i < 4 * rounds.size(); ++i) {
          const Round& round = rounds[i % rounds.size()];
          const std::size_t weight = 1 + i % 3;
          std::vector<double> x = round.x;
          for (double& value : x) value *= 1 + 0.01 * static_cast<double>(i);
          const Finished once{{x, round.block}, round.reward, 1},
              many{{x, round.block}, round.reward, static_cast<double>(weight)};
          a->learn({&many, 1});
          for (std::size_t copy = 0; copy < weight; ++copy) b->learn({&once, 1});
          const Decision first = ask(*a, shape), second = ask(*b, shape);
          for (std::size_t k = 0; k < 2; ++k) {
            ASSERT_NEAR(first.mean[k], second.mean[k], 1e-9) << policy << " " << preset << " " << i;
            ASSERT_NEAR(first.width[k], second.width[k], 1e-9) << policy << " " << preset << " " << i;
          }
        }
      }
}

// Also where they are all below 1, as weights that sum to 1 are.
TEST(RoundWeightsOneByOne, SmallOnesTellAScale) {
  const auto policy = make_policy({.name = "linear-ucb", .shape = per_arm});
  for (const Round& round : some_rounds(1)) {
    const Finished finished{{round.x, 0}, 100 + round.x[0], 1.0 / 24};
    policy->learn({&finished, 1});
  }
  EXPECT_NEAR(ask(*policy, per_arm).mean[0], 100, 1);  // not 0: rewards were seen around 100
}

// One round tells no scale, however often it counts: a rounding that 3.7 times a number over 3.7 leaves is none.
TEST(RoundWeightsOneByOne, ARoundDoesNotDifferFromItself) {
  for (const char* policy : {"linear-ts", "linear-ucb", "kernel-ts", "kernel-ucb", "neural-ts"})
    for (const double weight : {0.3, 3.7, 100.0, 1e6})
      for (const Round& round : some_rounds(1)) {
        const auto learner = make_policy({.name = policy, .shape = per_arm});
        const Finished finished{{round.x, 0}, round.reward, weight};
        learner->learn({&finished, 1});
        const Decision decision = ask(*learner, per_arm);
        EXPECT_EQ(decision.mean[0], decision.mean[1]) << policy << ' ' << weight;
        EXPECT_NEAR(decision.mean[0], round.reward, 1e-9) << policy << ' ' << weight;
      }
}

TEST(RoundWeightsChecked, AreRefusedWhenNegativeOrNotFinite) {
  const auto policy = make_policy({.name = "linear-ucb", .shape = per_arm});
  const std::vector<double> x{1, 2, 3};
  for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(policy->learn(std::vector<Finished>{{{x, 0}, 1.0, bad}}), ContractError);
}

}  // namespace
}  // namespace neuralts
