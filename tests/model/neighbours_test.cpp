// What the nearest rounds paid, against kernel ridge regression over them solved by elimination.
#include "model/neighbours.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/exact_paths.hpp"
#include "model/kernel_ridge.hpp"

namespace neuralts {
namespace {

constexpr std::size_t columns = 3, asked_of = 16;
constexpr double lambda = 0.1, far = 0.6;
using Round = KernelRidge::Round;

// Near each other.
std::vector<Round> rounds_of(std::uint64_t seed, std::size_t count) {
  return KernelRidge::rounds(seed, count, columns, 0.2);
}

double distance(const Round& round, std::span<const double> x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - round.x[i]) * (x[i] - round.x[i]);
  return std::sqrt(sum);
}

double by_elimination(std::vector<Round> rounds, std::span<const double> x) {
  std::erase_if(rounds, [&](const Round& round) { return round.weight == 0 || distance(round, x) >= far; });
  std::sort(rounds.begin(), rounds.end(),
            [&](const Round& a, const Round& b) { return distance(a, x) < distance(b, x); });
  if (rounds.size() > asked_of) rounds.resize(asked_of);
  return KernelRidge{.length = 0.2, .lambda = lambda}.forecast(rounds, x);
}

struct Path {
  explicit Path(std::size_t blocks) : neighbours({columns, blocks}, true), history({columns, blocks}) {
    neighbours.restart(lambda);
  }
  void append(const std::vector<Round>& rounds, std::size_t block = 0) {
    for (const Round& round : rounds) history.append(block, round.x, round.reward);
  }
  double mean(const Round& round, std::size_t block = 0, std::size_t asked = 1) {
    return neighbours.mean(round.x.data(), block, asked, scratch);
  }

  Neighbours neighbours;
  History<double> history;
  Scratch scratch;
};

// Fewer than are asked, and far more.
TEST(Neighbours, AreKernelRidgeRegressionOfTheNearestOfTheBlock) {
  Path path(2);
  const auto first = rounds_of(1, 300), second = rounds_of(2, 9);
  for (std::size_t i = 0; i < first.size(); ++i) {
    path.append({first[i]}, 0);
    if (i < second.size()) path.append({second[i]}, 1);
    if (i % 7 == 0) path.neighbours.catch_up(path.history, {});
  }
  path.neighbours.catch_up(path.history, {});
  EXPECT_EQ(path.neighbours.waiting(path.history), 0u);
  for (const Round& round : rounds_of(3, 20)) {
    EXPECT_NEAR(path.mean(round, 0), by_elimination(first, round.x), 1e-5);
    EXPECT_NEAR(path.mean(round, 1), by_elimination(second, round.x), 1e-5);
  }
}

TEST(Neighbours, SayTheMeanWhereNobodyIsNear) {
  Path path(2);
  const auto rounds = rounds_of(4, 100);
  EXPECT_EQ(path.mean(rounds.front()), 0);
  path.append(rounds);
  path.neighbours.catch_up(path.history, {});
  EXPECT_NE(path.mean(rounds.front()), 0);
  EXPECT_EQ(path.mean({{9, 9, 9}, 0, 1}), 0);
  EXPECT_EQ(path.mean(rounds.front(), 1), 0);
  for (const double huge : {1e30, 1e300, std::numeric_limits<double>::infinity()})
    EXPECT_EQ(path.mean({{huge, 0, 0}, 0, 1}), 0) << huge;
}

TEST(Neighbours, AWeightIsSoMuchLessNoiseAndNoneIsNoRound) {
  Path path(2);
  auto rounds = rounds_of(5, 8);
  const std::vector<double> weights{1, 2, 0, 0.5, 1, 3, 0, 1};
  for (std::size_t i = 0; i < rounds.size(); ++i) rounds[i].weight = weights[i];
  path.append(rounds, 1);
  path.neighbours.catch_up(path.history, {{}, weights});
  for (const Round& round : rounds_of(6, 5)) EXPECT_NEAR(path.mean(round, 1), by_elimination(rounds, round.x), 1e-5);
}

// However the rounds come: one by one, or all at once after a restart.
TEST(Neighbours, TheOldestMakeRoomForTheNewest) {
  const std::size_t blocks = 500;
  Path path(blocks);
  const std::size_t most = path.neighbours.most_points();
  ASSERT_LT(most, 200u);
  const auto rounds = rounds_of(7, 2 * most + 11), asked = rounds_of(8, 10);
  const auto check = [&](std::size_t count) {
    const std::vector<Round> newest(rounds.begin() + static_cast<std::ptrdiff_t>(count - std::min(count, most)),
                                    rounds.begin() + static_cast<std::ptrdiff_t>(count));
    for (const Round& round : asked) EXPECT_NEAR(path.mean(round, 7), by_elimination(newest, round.x), 1e-5) << count;
  };
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    path.append({rounds[i]}, 7);
    path.neighbours.catch_up(path.history, {});
    if (i % 50 == 49) check(i + 1);
  }
  path.neighbours.restart(lambda);
  EXPECT_EQ(path.mean(asked.front(), 7), 0);
  path.neighbours.catch_up(path.history, {});
  check(rounds.size());
}

// A hundred thousand contexts: each is compared with the tile that the last round lies in.
TEST(Neighbours, BetweenVeryManyTheNewestAreLookedAt) {
  Path path(1);
  constexpr std::size_t tile = 48;
  const auto rounds = rounds_of(9, 10 * tile + 5);
  path.append(rounds);
  path.neighbours.catch_up(path.history, {});
  const std::vector<Round> newest(rounds.end() - 5, rounds.end());
  for (const Round& round : rounds_of(10, 10)) {
    EXPECT_NEAR(path.mean(round, 0, 100'000), by_elimination(newest, round.x), 1e-5);
    EXPECT_NEAR(path.mean(round, 0, 10), by_elimination(rounds, round.x), 1e-5);
  }
}

TEST(Neighbours, SavedAndLoadedGoOnTheSame) {
  Path a(2);
  Neighbours b({columns, 2}, true);
  const auto rounds = rounds_of(11, 200);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    a.append({rounds[i]}, i % 2);
    a.neighbours.catch_up(a.history, {});
    if (i == 120) {
      Writer out;
      a.neighbours.save(out);
      Reader in(out.bytes(), "neighbours");
      b.load(in);
      EXPECT_TRUE(in.at_end());
    }
    if (i > 120) b.catch_up(a.history, {});
  }
  for (const Round& round : rounds)
    EXPECT_EQ(a.mean(round, 1), b.mean(round.x.data(), 1, 1, a.scratch));
}

TEST(Neighbours, WhereTheyDoNotSpeakTheyCostNothing) {
  expect_no_cost(Neighbours({columns, 1000}, false), lambda, rounds_of(12, 1).front());
}

// As far as there is memory for a tile of rounds of every arm.
TEST(Neighbours, SpeakBesideACurve) {
  const auto speak = [](const Shape& shape, bool wanted) {
    return ExactPaths(shape, {.neighbours = wanted}).speaks(ExactPaths::neighbours);
  };
  EXPECT_TRUE(speak({3, 2}, true));
  EXPECT_TRUE(speak({20, 1}, true));
  EXPECT_FALSE(speak({3, 2}, false));
  EXPECT_FALSE(speak({54, 7}, true));
  EXPECT_FALSE(speak({784, 10}, true));
  EXPECT_TRUE(speak({3, 1000}, true));
  EXPECT_FALSE(speak({3, 1500}, true));
}

}  // namespace
}  // namespace neuralts
