#include "neuralts/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace neuralts {
namespace {

TEST(Stream, ContinuesFromItsStateAtEveryPoint) {
  Stream stream(7, Purpose::exploration);
  for (int i = 0; i < 9; ++i) {
    Stream copy(stream.state());
    for (int j = 0; j < 10; ++j) EXPECT_EQ(Stream(copy).bits32(), Stream(Stream(stream).state()).bits32());
    Stream original = stream;
    for (int j = 0; j < 10; ++j) EXPECT_EQ(copy.bits64(), original.bits64());
    stream.bits32();
  }
}

TEST(Stream, PurposesSeedsAndIndicesDiffer) {
  EXPECT_NE(Stream(1, Purpose::exploration).bits64(), Stream(1, Purpose::environment).bits64());
  EXPECT_NE(Stream(1, Purpose::exploration).bits64(), Stream(2, Purpose::exploration).bits64());
  EXPECT_NE(Stream(1, Purpose::exploration, 0).bits64(), Stream(1, Purpose::exploration, 1).bits64());
}

// n draws: the mean of normals has sd 1/sqrt(n), of squares sqrt(2/n); five of each is a miss once in a million.
TEST(Stream, NormalsHaveMeanZeroAndVarianceOne) {
  Stream stream(3, Purpose::theory);
  const int n = 200000;
  double sum = 0, square = 0;
  for (int i = 0; i < n; ++i) {
    const double z = stream.normal();
    sum += z;
    square += z * z;
  }
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(square / n, 1, 5 * std::sqrt(2.0 / n));
}

}  // namespace
}  // namespace neuralts
