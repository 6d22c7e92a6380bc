// An arm's mean and how far it may be wrong, against sums by hand.
#include "model/constant_path.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace neuralts {
namespace {

const double x = 0.7;

// Two arms: the first paid 1 four times, the second 1, 0.2 and -0.4.
History<double> two_arms() {
  History<double> history({1, 3});
  for (int i = 0; i < 4; ++i) history.append(0, std::span(&x, 1), 1.0);
  for (const double reward : {1.0, 0.2, -0.4}) history.append(1, std::span(&x, 1), reward);
  return history;
}

// S = 0.7333^2 + 0.0667^2 + 0.6667^2 = 0.98667 around the mean 0.26667; what is typical is 1: arms that came
// equally often would vary by 0.98667 / 6 within and 0.36667^2 between.
TEST(ConstantPath, IsAMeanWithAVarianceOfItsOwn) {
  ConstantPath path(3);
  EXPECT_EQ(path.mean(1), 0);
  EXPECT_EQ(path.left(1), 1);
  path.catch_up(two_arms(), {});
  const double sure = (0 + 8) / 12.0, noisy = (0.98 + 0.02 / 3 + 8) / 11;
  EXPECT_NEAR(path.mean(0), 4 / (4 + sure), 1e-12);
  EXPECT_NEAR(path.mean(1), 0.8 / (3 + noisy), 1e-12);
  EXPECT_NEAR(path.left(1), noisy / (3 + noisy), 1e-12);
  EXPECT_EQ(path.mean(2), 0);
  EXPECT_EQ(path.left(2), 1);
}

// Rounds are 0 on average, arms are below it: one paid 1 four times, two paid -2 once. Of who was never played that is all that
// is known, of the others the less the more often they were.
TEST(ConstantPath, WhoWasNeverPlayedIsTakenForAnAverageArmRatherThanAnAverageRound) {
  History<double> history({1, 4});
  for (int i = 0; i < 4; ++i) history.append(0, std::span(&x, 1), 1.0);
  for (const std::size_t arm : {1, 2}) history.append(arm, std::span(&x, 1), -2.0);
  ConstantPath path(4);
  EXPECT_EQ(path.below(3), 0);
  path.catch_up(history, {});
  const double average = (path.mean(0) + path.mean(1) + path.mean(2)) / 3;
  ASSERT_LT(average, 0);
  EXPECT_NEAR(path.below(3), average, 1e-12);
  EXPECT_NEAR(path.below(1), average * (1 - path.mean(1) / -2), 1e-12);
  EXPECT_NEAR(path.below(0), average * (1 - path.mean(0)), 1e-12);
  history.append(3, std::span(&x, 1), 30.0);
  path.catch_up(history, {});
  for (std::size_t arm = 0; arm < 4; ++arm) EXPECT_EQ(path.below(arm), 0);
}

// A hundred rewards of a sure arm say nothing about the noise of another: what is left of it grows with the
// rounds that it is not played.
TEST(ConstantPath, AnArmGivenUpIsTriedAgain) {
  auto history = two_arms();
  ConstantPath path(3);
  path.catch_up(history, {});
  const double before = path.left(1);
  for (int i = 0; i < 100; ++i) history.append(0, std::span(&x, 1), 1.0);
  path.catch_up(history, {});
  EXPECT_NEAR(path.left(1), before * (1 + 0.7 * std::log(107.0 / 9)), 1e-12);
  EXPECT_LT(path.left(0), 1e-3);
}

TEST(ConstantPath, ARoundOfWeightTwoIsTheRoundTwiceAndARestartForgets) {
  const auto history = two_arms();
  ConstantPath once(3), weighed(3);
  weighed.catch_up(history, {{1, 1, 0, 0}, {1, 1, 2}, {}});
  History<double> twice({1, 3});
  for (int i = 0; i < 2; ++i) twice.append(0, std::span(&x, 1), 1.0);
  for (const double reward : {1.0, 0.2, -0.4, -0.4}) twice.append(1, std::span(&x, 1), reward);
  once.catch_up(history, {});
  once.restart();
  once.catch_up(twice, {});
  for (std::size_t arm = 0; arm < 3; ++arm) {
    EXPECT_NEAR(weighed.mean(arm), once.mean(arm), 1e-12);
    EXPECT_NEAR(weighed.left(arm), once.left(arm), 1e-12);
  }
}

TEST(ConstantPath, SavedAndLoadedSaysTheSame) {
  auto history = two_arms();
  ConstantPath a(3), b(3);
  a.catch_up(history, {});
  Writer out;
  a.save(out);
  Reader in(out.bytes(), "path");
  b.load(in);
  history.append(2, std::span(&x, 1), 3.0);
  a.catch_up(history, {});
  b.catch_up(history, {});
  for (std::size_t arm = 0; arm < 3; ++arm) {
    EXPECT_EQ(a.mean(arm), b.mean(arm));
    EXPECT_EQ(a.left(arm), b.left(arm));
  }
}

}  // namespace
}  // namespace neuralts
