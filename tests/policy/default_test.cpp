// The policy one gets without asking for anything: it learns what a straight line cannot say.
#include <gtest/gtest.h>

#include "neuralts/run.hpp"

namespace neuralts {
namespace {

double regret(const std::string& policy, const std::string& env, std::uint64_t seed, std::size_t rounds) {
  RunSpec spec{.env = env, .policy = {.name = policy}, .seed = seed, .rounds = rounds, .delay = {}};
  return run(*make_environment(env), spec).regret;
}

// The reward is the square of a product with a hidden vector: chance and every linear policy lose a constant
// amount a round, a policy that has learned loses nearly nothing. One that learned within the first third and
// then played well would end at about a third of chance; half of it, in sum over three seeds, leaves room for
// an unlucky one and none for a policy that does not learn.
TEST(DefaultPolicy, LearnsASquareSlow) {
  double learned = 0, chance = 0, linear = 0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    learned += regret(PolicySpec{}.name, "quadratic:dim=8,arms=4,noise=0.1", seed, 600);
    chance += regret("random", "quadratic:dim=8,arms=4,noise=0.1", seed, 600);
    linear += regret("linear-ucb", "quadratic:dim=8,arms=4,noise=0.1", seed, 600);
  }
  EXPECT_LT(learned, chance / 2);
  EXPECT_LT(learned, linear);
}

// A sure arm pays 0.4; a better one pays 1 in 55 of 100 rounds and nothing else, so that its first rewards are
// zeros in one run of five (0.45^2). A run that still prefers another arm in its last quarter has not
// recovered: its regret there is at least half of what the sure arm costs, 0.15 a round. Of 12 runs at most two
// may be such: a policy that believes the first rewards loses four of twelve on average, and two at most in one
// case of five hundred where it loses but one in twenty.
TEST(DefaultPolicy, ComesBackToAnArmWhoseFirstRewardsMisled) {
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    lost += regret(PolicySpec{}.name, "risky", seed, 1000) - regret(PolicySpec{}.name, "risky", seed, 750) >
            0.5 * 0.15 * 250;
  EXPECT_LE(lost, 2);
}

// Actions told by columns of their own, in the two of seeds 1 to 48 where one bad reward once made the default
// give up an action for good: that costs 0.1 a round, 73 and 77 in all. Chance loses about 124; who comes back
// within a quarter of the rounds stays below a quarter.
TEST(DefaultPolicy, TriesAnActionAgainThatOneBadRewardMadeLookKnown) {
  for (const std::uint64_t seed : {1, 33}) {
    const double chance = regret("random", "actions", seed, 800);
    EXPECT_LT(regret(PolicySpec{}.name, "actions", seed, 800), chance / 4) << seed;
  }
}

// And where rewards are noise, a bad one is no reason: who tries every action again and again for that loses a quarter of
// chance, and who learns ten numbers a twelfth.
TEST(DefaultPolicy, LeavesActionsAloneThatPayLessUnderNoise) {
  double lost = 0, chance = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    lost += regret(PolicySpec{}.name, "plain:form=columns", seed, 2000);
    chance += regret("random", "plain:form=columns", seed, 2000);
  }
  EXPECT_LT(lost, 0.16 * chance);
}

// A square of which a line fits one side, in three of seeds 1 to 24 where a line that is believed plays that side on:
// without `hope` they lose 0.62, 0.66 and 0.64 of chance, with it a third.
TEST(DefaultPolicy, LooksWhereALineThatLeadsSaysThereIsNothingSlow) {
  double lost = 0, chance = 0;
  for (const std::uint64_t seed : {12, 16, 24}) {
    lost += regret(PolicySpec{}.name, "quadratic", seed, 2000);
    chance += regret("random", "quadratic", seed, 2000);
  }
  EXPECT_LT(lost, 0.45 * chance);
}

// A world in which the arm alone seems to tell the reward, until a rare context pays forty times as much: who
// stops searching ends at more than chance, 1.1 times its regret. Half of chance in sum over four seeds is out
// of reach for one that misses it in two of them.
TEST(DefaultPolicy, FindsTheRareLargeReward) {
  double drawn = 0, bound = 0, chance = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    drawn += regret(PolicySpec{}.name, "wheel", seed, 2000);
    bound += regret("neural-ucb", "wheel", seed, 2000);
    chance += regret("random", "wheel", seed, 2000);
  }
  EXPECT_LT(drawn, chance / 2);
  EXPECT_LT(bound, chance / 2);
}

// The same under noise of a quarter of what arms differ by, so that the arm tells but three quarters of a reward's
// variance: who lets that end the search misses it in seven runs of eight.
TEST(DefaultPolicy, FindsTheRareLargeRewardUnderNoise) {
  double lost = 0, chance = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    lost += regret(PolicySpec{}.name, "wheel:noise=0.05", seed, 2000);
    chance += regret("random", "wheel:noise=0.05", seed, 2000);
  }
  EXPECT_LT(lost, chance / 2);
}

// And where there is nothing to find: looking at all contexts alike costs a sixth of chance.
TEST(DefaultPolicy, SearchesCheaplyWhereThereIsNothing) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const double chance = regret("random", "wheel:high=1", seed, 2000);
    EXPECT_LT(regret(PolicySpec{}.name, "wheel:high=1", seed, 2000), 0.08 * chance) << seed;
  }
}

// Two hundred arms and ten rounds for each of them: who gets to know all loses more than a third of chance, and many are
// as good as the best.
TEST(DefaultPolicy, PlaysGoodArmsBeforeItKnowsAll) {
  double lost = 0, chance = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    lost += regret(PolicySpec{}.name, "plain:arms=200", seed, 2000);
    chance += regret("random", "plain:arms=200", seed, 2000);
  }
  EXPECT_LT(lost, 0.27 * chance);
}

}  // namespace
}  // namespace neuralts
