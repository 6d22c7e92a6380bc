#include "model/arm_means.hpp"

#include <gtest/gtest.h>

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
  EXPECT_GT(lively.variance_within(), 0.8);
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
