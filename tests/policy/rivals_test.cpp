// What each rival's rule says of a decision, by its formula.
#include <gtest/gtest.h>

#include <algorithm>

#include "policy/small_world.hpp"

namespace neuralts {
namespace {

std::unique_ptr<Policy> trained(const std::string& name, const std::string& preset, const Params& params,
                                const SmallWorld& world, std::size_t rounds = 20) {
  auto policy = make_policy({name, preset, params, world.shape, 1});
  Player(world).play(*policy, rounds);
  return policy;
}

std::vector<Decision> decisions(const Policy& policy, const SmallWorld& world, std::size_t count) {
  std::vector<Decision> out(count);
  Stream explore(2, Purpose::exploration);
  Scratch scratch;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> numbers;
    policy.select(world.contexts(200 + i, numbers), explore, scratch, out[i]);
  }
  return out;
}

TEST(ReleasedDialect, LinearUcbAddsTheVarianceWithoutItsRoot) {
  const auto policy = trained("linear-ucb", "released", {{"nu", "0.3"}, {"lambda", "2"}}, disjoint_world);
  for (const Decision& d : decisions(*policy, disjoint_world, 10))
    for (std::size_t k = 0; k < d.mean.size(); ++k)
      EXPECT_NEAR(d.score[k], d.mean[k] + std::sqrt(2 * 0.3) * d.width[k] * d.width[k], 1e-14);
}

TEST(ReleasedDialect, KernelUcbTakesTheRootOfNu) {
  const auto policy = trained("kernel-ucb", "released", {{"nu", "0.3"}, {"lambda", "2"}}, disjoint_world);
  for (const Decision& d : decisions(*policy, disjoint_world, 10))
    for (std::size_t k = 0; k < d.mean.size(); ++k)
      EXPECT_NEAR(d.score[k], d.mean[k] + std::sqrt(2 * 0.3) * d.width[k], 1e-14);
}

TEST(LinearTs, SaysWhenItsProbabilitiesAreAnEstimate) {
  const auto estimated = [](const Params& params, const SmallWorld& world) {
    return decisions(*trained("linear-ts", "paper", params, world), world, 1)[0].estimated;
  };
  EXPECT_TRUE(estimated({}, per_arm_world));
  EXPECT_FALSE(estimated({{"draw", "independent"}}, per_arm_world));
  EXPECT_FALSE(estimated({}, disjoint_world));
  EXPECT_FALSE(estimated({}, SmallWorld{{.length = 3}, 2}));
}

// n repeats of one round: a frequency's standard deviation is below 0.5 / sqrt(n), and the mean of n estimates,
// each an average of many samples, is closer still: five times 0.5 / sqrt(n) is a miss once in a million.
class Frequencies : public testing::TestWithParam<std::pair<std::string, Params>> {};

TEST_P(Frequencies, AreTheProbabilities) {
  const auto policy = trained(GetParam().first, "paper", GetParam().second, per_arm_world, 12);
  std::vector<double> numbers, frequency(per_arm_world.arms), probability(per_arm_world.arms);
  const Contexts contexts = per_arm_world.contexts(300, numbers);
  Stream explore(3, Purpose::exploration);
  Scratch scratch;
  Decision d;
  constexpr int n = 4000;
  for (int i = 0; i < n; ++i) {
    policy->select(contexts, explore, scratch, d);
    frequency[d.arm] += 1.0 / n;
    for (std::size_t k = 0; k < per_arm_world.arms; ++k) probability[k] += d.probabilities[k] / n;
  }
  for (std::size_t k = 0; k < per_arm_world.arms; ++k)
    EXPECT_NEAR(frequency[k], probability[k], 5 * 0.5 / std::sqrt(n));
}

using Named = std::pair<std::string, Params>;
INSTANTIATE_TEST_SUITE_P(Policies, Frequencies,
                         testing::Values(Named{"linear-ts", {{"nu", "1"}}},
                                         Named{"linear-ts", {{"nu", "1"}, {"draw", "independent"}}},
                                         Named{"kernel-ts", {{"nu", "1"}, {"kernel", "ntk"}}},
                                         Named{"neural-linear",
                                               {{"nu", "1"}, {"units", "10"}, {"propensity_draws", "16"}}},
                                         Named{"bootstrap-nn", {{"units", "10"}}},
                                         Named{"neural-greedy", {{"units", "10"}, {"epsilon", "0.3"}}}));

TEST(NeuralGreedy, EpsilonDecaysWithTheFinishedRounds) {
  const auto policy = make_policy({"neural-greedy", "paper", {{"epsilon", "0.4"}, {"epsilon-decay", "0.5"}, {"units", "10"}, {"initialisation", "uniform"}},
                                   disjoint_world.shape, 1});
  const std::vector<double> x(disjoint_world.shape.length, 0.2);
  for (std::size_t t = 0; t < 10; ++t) {
    const Decision d = decisions(*policy, disjoint_world, 1)[0];
    const double epsilon = 0.4 / (1 + 0.5 * static_cast<double>(t));
    EXPECT_NEAR(*std::min_element(d.probabilities.begin(), d.probabilities.end()), epsilon / 3, 1e-12) << t;
    policy->learn(std::vector<Finished>{{{x, t % 3}, 1.0 + static_cast<double>(t % 3)}});
  }
}

// f(x; theta_0) = 0 for every x: no arm is better than another, whatever the roundings of a sum of products say.
TEST(Rivals, NetworksThatHaveLearnedNothingShareTheirChoiceEvenly) {
  for (const SmallWorld& world : {per_arm_world, disjoint_world})
    for (const char* name : {"neural-greedy", "bootstrap-nn"})
      for (const char* depth : {"2", "3"}) {
        const auto policy = make_policy({name, "paper", {{"depth", depth}}, world.shape, 1});
        for (const Decision& d : decisions(*policy, world, 5))
          for (const double p : d.probabilities)
            EXPECT_NEAR(p, 1.0 / static_cast<double>(world.arms), 1e-12) << name << ", depth " << depth;
      }
}

TEST(BootstrapNn, ProbabilitiesAreSharesOfMembers) {
  const auto policy = trained("bootstrap-nn", "released", {{"members", "7"}, {"units", "10"}}, disjoint_world);
  // None of them a zero context, whose arms are equal.
  for (const Decision& d : decisions(*policy, disjoint_world, 3))
    for (const double p : d.probabilities) EXPECT_NEAR(7 * p, std::round(7 * p), 1e-9);
}

}  // namespace
}  // namespace neuralts
