// The weight of a round: 2 is the round twice, 0 is no round, in mean and width alike.
#include <gtest/gtest.h>

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
  for (int i = 0; i < 24; ++i) rounds.push_back({{stream.normal(), stream.normal(), stream.normal()}, stream.below(blocks), stream.normal()});
  return rounds;
}

Decision ask(const Policy& policy, const Shape& shape) {
  const std::vector<double> x{0.3, -0.2, 0.9}, two{0.3, -0.2, 0.9, 1, 0.1, -0.4};
  Stream explore(5, Purpose::exploration);
  Scratch scratch;
  Decision decision;
  policy.select(shape.blocks > 1 ? Contexts::disjoint(x, shape.blocks) : Contexts::per_arm(two, 2), explore, scratch, decision);
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
const Params exact{{"posterior", "exact"}, {"precision", "float64"}, {"iterations", "30"}, {"units", "8"}};
const Params diagonal{{"posterior", "diagonal"}, {"precision", "float64"}, {"iterations", "30"}, {"units", "8"}};
const Params network{{"precision", "float64"}, {"iterations", "30"}, {"units", "8"}};

INSTANTIATE_TEST_SUITE_P(All, RoundWeights,
                         testing::Values(Case{"linear", {"linear-ucb", "paper", {}, per_arm}, 1e-9},
                                         Case{"linear_blocks", {"linear-ts", "paper", {}, disjoint}, 1e-9},
                                         Case{"kernel", {"kernel-ts", "paper", {}, per_arm}, 1e-9},
                                         Case{"neural_exact", {"neural-ts", "paper", exact, disjoint}, 1e-7},
                                         Case{"neural_diagonal", {"neural-ts", "paper", diagonal, per_arm}, 1e-7},
                                         Case{"neural_released", {"neural-ucb", "released", diagonal, disjoint}, 1e-7},
                                         Case{"neural_linear", {"neural-linear", "paper", network, disjoint}, 1e-7},
                                         Case{"neural_greedy", {"neural-greedy", "released", network, disjoint}, 1e-7}),
                         [](const auto& test) { return test.param.name; });

TEST(RoundWeightsChecked, AreRefusedWhenNegativeOrNotFinite) {
  const auto policy = make_policy({.name = "linear-ucb", .shape = per_arm});
  const std::vector<double> x{1, 2, 3};
  for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(policy->learn(std::vector<Finished>{{{x, 0}, 1.0, bad}}), ContractError);
}

}  // namespace
}  // namespace neuralts
