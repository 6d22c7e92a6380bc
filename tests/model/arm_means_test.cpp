#include "model/arm_means.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "neuralts/random.hpp"

namespace neuralts {
namespace {

TEST(ArmMeans, KnowWhetherTheArmAloneTellsTheReward) {
  ArmMeans calm(2), lively(2);
  Stream stream(3, Purpose::environment);
  for (int i = 0; i < 50; ++i) {
    const std::size_t arm = stream.below(2);
    calm.count(arm, 7 + 0.2 * static_cast<double>(arm) + 0.001 * stream.normal());
    lively.count(arm, 0.2 * static_cast<double>(arm) + stream.normal());
  }
  EXPECT_LT(calm.variance_within(), 0.01);
  EXPECT_GT(calm.told(), 0.99);
  EXPECT_GT(lively.variance_within(), 0.8);
  EXPECT_LT(lively.told(), 0.2);
}

// An arm is as well told however seldom it is played; the share of the variance within arms grows with that.
TEST(ArmMeans, AreToldApartHoweverSeldomOneIsPlayed) {
  ArmMeans seldom(2), often(2);
  Stream stream(4, Purpose::environment);
  for (int i = 0; i < 400; ++i) {
    const double noise = 0.05 * stream.normal();
    seldom.count(i % 80 == 0 ? 1 : 0, (i % 80 == 0 ? 0.2 : 0) + noise);
    often.count(i % 2, 0.2 * (i % 2) + noise);
  }
  EXPECT_GT(seldom.variance_within(), 3 * often.variance_within());
  EXPECT_NEAR(seldom.told(), often.told(), 0.1);
}

// Arms that differ by nothing but chance: their averages do.
TEST(ArmMeans, TakeChanceForNoDifference) {
  double told = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    ArmMeans same(10);
    Stream stream(seed, Purpose::environment);
    for (int i = 0; i < 30; ++i) same.count(i % 10, stream.normal());
    told += same.told() / 50;
  }
  EXPECT_LT(told, 0.1);
}

// In the rewards' unit; told by none of it.
TEST(ArmMeans, WonderInTheRewardsUnit) {
  ArmMeans plain(3), other(3);
  Stream stream(5, Purpose::environment);
  for (int i = 0; i < 60; ++i) {
    const double reward = 0.3 * (i % 3) + 0.02 * stream.normal();
    plain.count(i % 3, reward);
    other.count(i % 3, 1e6 + 1000 * reward);
  }
  EXPECT_GT(plain.wonder(), 1);  // the arms differ by 0.6
  EXPECT_NEAR(other.wonder() / plain.wonder(), 1000, 1e-3);
}

// Nine clicks in ten with one arm, one with the other, whatever a click is worth: there is no larger reward to look for.
// Whether rewards are of a few values is told by the largest, which of others does not come again.
TEST(ArmMeans, WonderAboutNoRewardLargerThanAClick) {
  ArmMeans clicks(2), dearer(2), amounts(2);
  Stream stream(9, Purpose::environment);
  for (int i = 0; i < 40; ++i) {
    const double click = stream.uniform() < (i % 2 == 0 ? 0.9 : 0.1) ? 1 : 0;
    clicks.count(i % 2, click);
    dearer.count(i % 2, 1e6 - 0.3 * (1 - click));
    amounts.count(i % 2, click + 0.01 * stream.normal());
  }
  EXPECT_EQ(clicks.wonder(), 0);
  EXPECT_EQ(dearer.wonder(), 0);
  EXPECT_GT(amounts.wonder(), 1);
  amounts.count(0, 2);
  EXPECT_GT(amounts.wonder(), 1);
  amounts.count(0, 2);
  EXPECT_EQ(amounts.wonder(), 0);
  amounts.count(0, 2.1);
  EXPECT_GT(amounts.wonder(), 1);
}

TEST(ArmMeans, TakeARoundOfWeightTwoForTwo) {
  ArmMeans twice(2), two(2);
  for (int i = 0; i < 10; ++i) {
    const double reward = i % 2 + 0.01 * i;
    twice.count(i % 2, reward), twice.count(i % 2, reward);
    two.count(i % 2, reward, 2);
  }
  EXPECT_EQ(twice.wonder(), 0);
  EXPECT_EQ(two.wonder(), 0);
}

// A wheel without noise: both rewards have come again, and neither arm has paid anything else.
TEST(ArmMeans, WonderWhereEachArmHasAlwaysPaidTheSame) {
  ArmMeans arms(2);
  for (int i = 0; i < 40; ++i) arms.count(i % 2, i % 2 == 0 ? 1.0 : 1.2);
  EXPECT_GT(arms.wonder(), 1);
}

// Eight clicks in ten with one arm, none with the other.
ArmMeans with_clicks() {
  ArmMeans arms(2);
  for (int i = 0; i < 20; ++i) arms.count(i % 2, i % 2 == 0 && i % 10 != 0);
  return arms;
}

TEST(ArmMeans, AreReadAsTheyWereSaved) {
  ArmMeans arms = with_clicks(), read(2);
  Writer out;
  arms.save(out);
  arms.save_largest(out);
  Reader in(out.bytes(), "test");
  read.load(in);
  read.load_largest(in);
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(read.wonder(), 0);
  read.count(0, 2), arms.count(0, 2);
  EXPECT_GT(read.wonder(), 0);
  EXPECT_EQ(read.wonder(), arms.wonder());
}

// A file of a program that did not ask for it says nothing of rewards that have come.
TEST(ArmMeans, DoNotKnowTheLargestRewardOfAnOlderFile) {
  ArmMeans arms = with_clicks(), read(2);
  Writer out;
  arms.save(out);
  Reader in(out.bytes(), "test", 9);
  read.load(in);
  read.load_largest(in);
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(arms.wonder(), 0);
  EXPECT_GT(read.wonder(), 0);
}

TEST(ArmMeans, WonderAboutNothingBeforeAnArmWasPlayedTwice) {
  ArmMeans arms(3);
  EXPECT_EQ(arms.wonder(), 0);
  for (std::size_t arm = 0; arm < 3; ++arm) {
    arms.count(arm, static_cast<double>(arm));
    EXPECT_EQ(arms.wonder(), 0);
  }
}

// Two arms have paid all kinds of rewards, one always the same: of that one there is something to wonder about, less the
// more it is played.
TEST(ArmMeans, WonderAboutTheOneThatHasAlwaysPaidTheSame) {
  ArmMeans arms(3);
  Stream stream(7, Purpose::environment);
  for (int i = 0; i < 40; ++i) arms.count(i % 2, 5 * stream.normal());
  for (int i = 0; i < 20; ++i) arms.count(2, 1 + 0.01 * stream.normal());
  EXPECT_EQ(arms.wonder_of(0), 0);
  EXPECT_EQ(arms.wonder_of(1), 0);
  const double then = arms.wonder_of(2);
  EXPECT_GT(then, 1);
  for (int i = 0; i < 200; ++i) arms.count(i % 3, i % 3 == 2 ? 1 : 5 * stream.normal());
  EXPECT_LT(arms.wonder_of(2), 0.7 * then);
  EXPECT_EQ(ArmMeans(2).wonder_of(0), 0);
}

// Nine of ten against one of ten leave contexts little to say; equal arms leave all of it, and so do the first rewards.
TEST(ArmMeans, LeaveContextsWhatTheyHaveNotTold) {
  ArmMeans apart(2), equal(2);
  EXPECT_EQ(apart.untold(), 1);
  Stream stream(11, Purpose::environment);
  for (int i = 0; i < 200; ++i) {
    const double chance = stream.uniform();
    apart.count(i % 2, chance < (i % 2 == 0 ? 0.9 : 0.1));
    equal.count(i % 2, chance < 0.5);
    if (i == 3) {
      EXPECT_GT(apart.untold(), 0.4);
    }
  }
  EXPECT_LT(apart.untold(), 0.3);
  EXPECT_GT(equal.untold(), 0.99);
}

// The largest rewards that are taken: nothing overflows into a width.
TEST(ArmMeans, WonderIsFinite) {
  ArmMeans arms(2);
  for (int i = 0; i < 20; ++i) {
    arms.count(i % 2, (i % 2 == 0 ? 1 : -1) * 1e300);
    EXPECT_TRUE(std::isfinite(arms.wonder()));
    EXPECT_TRUE(std::isfinite(arms.wonder_of(1)));
    EXPECT_TRUE(std::isfinite(arms.untold()));
  }
}

TEST(ArmMeans, BelieveTwoWildRewardsAndNotOne) {
  ArmMeans arms(2);
  for (int i = 0; i < 40; ++i) arms.count(i % 2, i % 2 == 0 ? 1.0 : 1.2);
  EXPECT_EQ(arms.variance_within(), 0);
  arms.count(1, 50);
  EXPECT_EQ(arms.variance_within(), 0);
  EXPECT_LT(arms.rounds(), 2);  // they are counted anew
  arms.count(1, 51);
  EXPECT_GT(arms.variance_within(), 0.5);
}

TEST(ArmMeans, HoldBackAWildRewardHoweverEarlyItCame) {
  ArmMeans arms(2);
  arms.count(0, 1.0);
  arms.count(1, 50);
  for (int i = 0; i < 40; ++i) arms.count(i % 2, i % 2 == 0 ? 1.0 : 1.2);
  EXPECT_EQ(arms.variance_within(), 0);
}

}  // namespace
}  // namespace neuralts
