// What the curve hoped for is believed as far as it came true.
#include "model/hopes.hpp"

#include <gtest/gtest.h>

#include "neuralts/random.hpp"

namespace neuralts {
namespace {

// Hopes of up to two deviations, of which `share` comes true, under noise of one.
Hopes after(int rounds, double share) {
  Hopes hopes;
  Stream stream(7, Purpose::environment);
  for (int i = 0; i < rounds; ++i) {
    const double hoped = 2 * stream.uniform();
    hopes.count(hoped, share * hoped + stream.normal());
  }
  return hopes;
}

TEST(Hopes, AllOfThemAreHeardAtFirst) { EXPECT_EQ(Hopes().fulfilled(), 1); }

TEST(Hopes, ThatComeTrueAreHeardOn) { EXPECT_GT(after(400, 1).fulfilled(), 0.9); }

TEST(Hopes, InVainEndSoon) {
  EXPECT_GT(after(5, 0).fulfilled(), 0.6);
  EXPECT_LT(after(400, 0).fulfilled(), 0.15);
}

TEST(Hopes, InPartAreHeardInPart) { EXPECT_NEAR(after(2000, 0.5).fulfilled(), 0.5, 0.1); }

// Where the curve says less than is believed nobody looks for what it says.
TEST(Hopes, FearsTellNothing) {
  Hopes hopes;
  for (int i = 0; i < 100; ++i) hopes.count(-1, -1);
  EXPECT_EQ(hopes.fulfilled(), 1);
}

TEST(Hopes, AnotherUnitOfAllRoundsIsThatOfEachRound) {
  Hopes later, before;
  for (int i = 0; i < 50; ++i) later.count(0.5 + 0.01 * i, 0.2), before.count(2 * (0.5 + 0.01 * i), 2 * 0.2);
  later.rescale(2);
  EXPECT_NEAR(later.fulfilled(), before.fulfilled(), 1e-12);
}

TEST(Hopes, AreSaved) {
  const Hopes hopes = after(30, 0.3);
  Writer out;
  hopes.save(out);
  Reader in(out.bytes(), "test");
  Hopes read;
  read.load(in);
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(read.fulfilled(), hopes.fulfilled());
}

}  // namespace
}  // namespace neuralts
