// The kernel in the curve's place, against kernel ridge regression solved by elimination.
#include "model/kernel_path.hpp"

#include <gtest/gtest.h>

#include "model/exact_paths.hpp"
#include "model/kernel_ridge.hpp"

namespace neuralts {
namespace {

constexpr std::size_t columns = 3;
constexpr double lambda = 0.4;

using Round = KernelRidge::Round;

std::vector<Round> rounds_of(std::uint64_t seed, std::size_t count) { return KernelRidge::rounds(seed, count, columns); }

double by_elimination(const std::vector<Round>& rounds, std::span<const double> x) {
  return KernelRidge{.length = 1, .lambda = lambda}.forecast(rounds, x);
}

KernelPath path_of(std::size_t blocks) {
  KernelPath path({columns, blocks}, true);
  path.restart(lambda);
  return path;
}

TEST(KernelPath, IsKernelRidgeRegressionOfEveryBlock) {
  KernelPath path = path_of(2);
  History<double> history({columns, 2});
  const auto first = rounds_of(1, 20), second = rounds_of(2, 9);
  const auto asked = rounds_of(3, 4);
  for (std::size_t i = 0; i < first.size(); ++i) {
    history.append(0, first[i].x, first[i].reward);
    if (i < second.size()) history.append(1, second[i].x, second[i].reward);
    if (i % 3 == 0) path.catch_up(history, {});  // several rounds at a time
  }
  path.catch_up(history, {});
  EXPECT_EQ(path.waiting(history), 0u);
  for (const Round& round : asked) {
    EXPECT_NEAR(path.mean(round.x.data(), 0), by_elimination(first, round.x), 1e-12);
    EXPECT_NEAR(path.mean(round.x.data(), 1), by_elimination(second, round.x), 1e-12);
  }
}

TEST(KernelPath, AWeightIsSoMuchLessNoiseAndNoneIsNoRound) {
  KernelPath path = path_of(2);
  History<double> history({columns, 2});
  auto rounds = rounds_of(4, 8);
  for (const Round& round : rounds) history.append(1, round.x, round.reward);
  path.catch_up(history, {{}, {1, 2, 0, 0.5, 1, 3, 0, 1}});
  const std::vector<double> weights{1, 2, 0, 0.5, 1, 3, 0, 1};
  std::vector<Round> counted;
  for (std::size_t i = 0; i < rounds.size(); ++i)
    if (weights[i] > 0) counted.push_back({rounds[i].x, rounds[i].reward, weights[i]});
  const auto asked = rounds_of(5, 1).front();
  EXPECT_NEAR(path.mean(asked.x.data(), 1), by_elimination(counted, asked.x), 1e-12);
  EXPECT_EQ(path.mean(asked.x.data(), 0), 0);
}

TEST(KernelPath, BeyondItsPointsItLearnsNoMore) {
  const std::size_t blocks = 1000;
  KernelPath path = path_of(blocks);
  ASSERT_EQ(path.most_points(), 10u);
  History<double> history({columns, blocks});
  auto rounds = rounds_of(6, 25);
  for (const Round& round : rounds) history.append(7, round.x, round.reward);
  path.catch_up(history, {});
  EXPECT_EQ(path.waiting(history), 0u);
  const auto asked = rounds_of(7, 1).front();
  rounds.resize(10);
  EXPECT_NEAR(path.mean(asked.x.data(), 7), by_elimination(rounds, asked.x), 1e-12);
}

TEST(KernelPath, SavedAndLoadedGoesOnTheSame) {
  History<double> history({columns, 2});
  KernelPath a = path_of(2), b({columns, 2}, true);
  const auto rounds = rounds_of(8, 30);
  for (std::size_t i = 0; i < 20; ++i) history.append(i % 2, rounds[i].x, rounds[i].reward);
  a.catch_up(history, {});
  Writer out, again;
  a.save(out);
  Reader in(out.bytes(), "path");
  b.load(in);
  EXPECT_TRUE(in.at_end());
  for (std::size_t i = 20; i < 30; ++i) history.append(i % 2, rounds[i].x, rounds[i].reward);
  a.catch_up(history, {});
  b.catch_up(history, {});
  for (const Round& round : rounds) EXPECT_EQ(a.mean(round.x.data(), 1), b.mean(round.x.data(), 1));
}

// Where there is a line and no curve, and arms have weights of their own.
TEST(KernelPath, SpeaksInTheCurvesPlaceOnly) {
  EXPECT_TRUE(ExactPaths({40, 2}, {.kernel = true}).kernel.speaks());
  EXPECT_FALSE(ExactPaths({40, 2}, {.kernel = false}).kernel.speaks());
  EXPECT_FALSE(ExactPaths({10, 2}, {.kernel = true}).kernel.speaks());
  EXPECT_FALSE(ExactPaths({40, 1}, {.kernel = true}).kernel.speaks());
  EXPECT_FALSE(ExactPaths({784, 10}, {.kernel = true}).kernel.speaks());
}

TEST(KernelPath, WhereItDoesNotSpeakItCostsNothing) {
  expect_no_cost(KernelPath({columns, 1000}, false), lambda, rounds_of(9, 1).front());
}

}  // namespace
}  // namespace neuralts
