#include "math/running_moments.hpp"

#include <gtest/gtest.h>

namespace neuralts::math {
namespace {

TEST(RunningMoments, EqualNumbersDoNotDiffer) {
  for (const double weight : {1e-300, 0.1, 3.7, 100.0, 1e15})
    for (const double value : {0.1, -1.0 / 3, 1e15 / 7}) {
      RunningMoments moments;
      for (int i = 0; i < 3; ++i) moments.add(value, weight * (i + 1));
      EXPECT_EQ(moments.mean, value) << weight;
      EXPECT_EQ(moments.deviation(), 0) << value << ' ' << weight;
    }
}

TEST(RunningMoments, ANumberOfWeightTwoIsTheNumberTwice) {
  RunningMoments once, twice;
  for (const double value : {3.0, -1.0, 7.5}) {
    once.add(value, 2);
    twice.add(value), twice.add(value);
  }
  EXPECT_NEAR(once.mean, twice.mean, 1e-15);
  EXPECT_NEAR(once.deviation(), twice.deviation(), 1e-15);
}

}  // namespace
}  // namespace neuralts::math
