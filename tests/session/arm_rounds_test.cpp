#include "session/arm_rounds.hpp"

#include <gtest/gtest.h>

#include <map>

namespace neuralts {
namespace {

// Rounds of two numbers whose reward is their place among all.
void add(ArmRounds& rounds, std::uint32_t block, std::size_t count, double& place) {
  const std::vector<double> x{1, 2};
  for (; count > 0; --count) {
    const Finished round{{x, block}, place++, 2};
    rounds.add({&round, 1});
  }
}

std::map<std::size_t, std::size_t> counts(const ArmRounds& rounds) {
  std::map<std::size_t, std::size_t> all;
  for (std::size_t i = 0; i < rounds.size(); ++i) ++all[rounds[i].context.block];
  return all;
}

constexpr std::size_t room = 80, of_a_round = 64;  // bytes: 48 and two numbers

TEST(ArmRounds, TheArmsWithMostGiveUpTheirOldest) {
  ArmRounds rounds(room * of_a_round);
  double place = 0;
  add(rounds, 0, 10, place);
  for (int i = 0; i < 1000; ++i) add(rounds, 1 + i % 2, 1, place);
  EXPECT_LE(rounds.size(), room + room / 8);
  EXPECT_EQ(counts(rounds)[0], 10u);
  EXPECT_GE(counts(rounds)[1], 35u);
  EXPECT_GE(counts(rounds)[2], 35u);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    EXPECT_EQ(rounds[i].weight, 2);
    EXPECT_EQ(rounds[i].reward, i < 10 ? static_cast<double>(i) : place - static_cast<double>(rounds.size() - i));
  }
}

TEST(ArmRounds, AForgottenArmLeavesItsRoomToTheOthers) {
  ArmRounds rounds(room * of_a_round);
  double place = 0;
  add(rounds, 3, 500, place);
  add(rounds, 4, 500, place);
  const std::vector<std::uint32_t> gone{3};
  rounds.forget(gone);
  EXPECT_EQ(counts(rounds).count(3), 0u);
  add(rounds, 4, 30, place);
  EXPECT_GE(counts(rounds)[4], 65u);
}

TEST(ArmRounds, ManyAtOnceAreBoundedToo) {
  ArmRounds rounds(room * of_a_round);
  const std::vector<double> x{1, 2};
  rounds.add(std::vector<Finished>(10'000, {{x, 7}, 1}));
  EXPECT_EQ(rounds.size(), room);
}

}  // namespace
}  // namespace neuralts
