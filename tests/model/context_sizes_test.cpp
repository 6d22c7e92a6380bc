#include "model/context_sizes.hpp"

#include <gtest/gtest.h>

namespace neuralts {
namespace {

TEST(ContextSizes, TellHowManyAreSmaller) {
  ContextSizes sizes;
  EXPECT_EQ(sizes.smaller_than(3), 1);
  for (int i = 0; i < 64; ++i) sizes.meet(1 + 0.1 * i);
  EXPECT_NEAR(sizes.smaller_than(100), 1, 0.01);
  EXPECT_NEAR(sizes.smaller_than(1 + 3.15), 0.5, 0.02);
  EXPECT_NEAR(sizes.smaller_than(0.5), 0, 0.02);
}

// Sizes that differ by rounding are one: in other units of the columns they would differ in another order.
TEST(ContextSizes, TakeRoundingForNoDifference) {
  ContextSizes sizes;
  for (int i = 0; i < 200; ++i) sizes.meet(5 + 1e-6 * (i % 7));
  EXPECT_NEAR(sizes.smaller_than(5 + 3e-6), 0.5, 0.01);
}

TEST(ContextSizes, FollowAWorldThatChanges) {
  ContextSizes sizes;
  for (int i = 0; i < 100; ++i) sizes.meet(10 + i % 5);
  for (int i = 0; i < 64; ++i) sizes.meet(2 + i % 5);
  EXPECT_NEAR(sizes.smaller_than(9), 1, 0.01);
}

TEST(ContextSizes, GoOnAsTheyWereSaved) {
  ContextSizes sizes, read;
  for (int i = 0; i < 40; ++i) sizes.meet(1 + i % 11);
  Writer out;
  sizes.save(out);
  Reader in(out.bytes(), "test");
  read.load(in);
  for (int i = 0; i < 50; ++i) {
    sizes.meet(i), read.meet(i);
    EXPECT_EQ(sizes.smaller_than(5.5), read.smaller_than(5.5));
  }
}

}  // namespace
}  // namespace neuralts
