// The logistic line against its equations: the mode of one round, and that of all of them by Newton's method.
#include "model/logistic_path.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "model/exact_paths.hpp"
#include "model/predict.hpp"

namespace neuralts {
namespace {

constexpr std::size_t columns = 3;
constexpr double prior_variance = 4;

struct Round {
  std::vector<double> x;
  double reward;
};

double probability(double m) { return 1 / (1 + std::exp(-m)); }

// Zeros and ones, as they are.
struct Path {
  explicit Path(std::size_t blocks, bool wanted = true) : logistic({columns, blocks}, wanted), history({columns, blocks}) {
    logistic.restart();
  }
  void append(const std::vector<Round>& rounds, std::size_t block = 0) {
    for (const Round& round : rounds) history.append(block, round.x, round.reward);
  }
  void catch_up(const RoundWeights<double>& weights = {}, std::size_t most = SIZE_MAX) { logistic.catch_up(history, weights, most); }
  /// As if from the start.
  void catch_up_anew() { logistic.restart(), catch_up(); }
  double mean(const std::vector<double>& x, std::size_t block = 0) const { return logistic.mean(x.data(), block); }

  LogisticPath logistic;
  History<double> history;
};

// Rewards of mean 0: 1 - `share` and -`share`, the larger with odds of `odds` + sum of x.
std::vector<Round> clicks(std::uint64_t seed, std::size_t count, double odds, double share) {
  Stream stream(seed, Purpose::environment);
  std::vector<Round> out;
  for (std::size_t i = 0; i < count; ++i) {
    Round round{random_numbers(stream, columns), 0};
    const double m = odds + round.x[0] + round.x[1] + round.x[2];
    round.reward = (stream.uniform() < probability(m) ? 1 : 0) - share;
    out.push_back(round);
  }
  return out;
}

// Each of the two values twice, in a block of their own.
std::vector<Round> two_of_each(double share) {
  const std::vector<double> x(columns, 0.0);
  return {{x, -share}, {x, -share}, {x, 1 - share}, {x, 1 - share}};
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 1;  // of the intercept
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

// Where the gradient is zero: w = prior mean + 4 weight (y - p(phi.w)) phi. So what is said of the context itself tells
// what is said of every other one.
TEST(LogisticPath, OneRoundIsTakenInExactly) {
  constexpr double share = 0.1, odds = share / (1 - share);
  const std::vector<double> x{0.3, -1.2, 0.7};
  for (const double weight : {0.5, 1.0, 20.0})
    for (const double y : {0.0, 1.0}) {
      Path path(2);
      path.append(two_of_each(share), 1);
      path.append({{x, y - share}});
      path.catch_up({{weight}, {1, 1, 1, 1}});
      ASSERT_TRUE(path.logistic.speaks());
      const double s = weight * (y - (path.mean(x) + share));
      for (const std::vector<double>& other : {x, {1, 2, 3}, {0, 0, 0}}) {
        const double m = std::log(odds) + prior_variance * s * dot(x, other);
        EXPECT_NEAR(path.mean(other), probability(m) - share, 1e-9) << weight << " " << y;
      }
    }
}

Eigen::VectorXd mode(const std::vector<Round>& rounds, double share) {
  const Eigen::Index q = columns + 1;
  Eigen::VectorXd prior = Eigen::VectorXd::Zero(q);
  prior[q - 1] = std::log(share / (1 - share));
  Eigen::VectorXd w = prior;
  for (int step = 0; step < 50; ++step) {
    Eigen::VectorXd gradient = (prior - w) / prior_variance;
    Eigen::MatrixXd curvature = Eigen::MatrixXd::Identity(q, q) / prior_variance;
    for (const Round& round : rounds) {
      Eigen::VectorXd phi(q);
      phi << round.x[0], round.x[1], round.x[2], 1;
      const double p = probability(phi.dot(w));
      gradient += (round.reward + share - p) * phi;
      curvature += p * (1 - p) * phi * phi.transpose();
    }
    w += curvature.llt().solve(gradient);
  }
  return w;
}

// Round by round is not all at once: every round's curvature is that of its own time. What differs fades as 1 / rounds.
TEST(LogisticPath, ManyRoundsAreNearTheModeOfAll) {
  constexpr double share = 0.25;
  const auto asked = clicks(2, 50, 0, share);
  const auto largest_difference = [&](std::size_t count) {
    const auto rounds = clicks(1, count, -1.5, share);
    Path path(2);
    path.append(rounds);
    path.catch_up();
    const Eigen::VectorXd w = mode(rounds, share);
    double largest = 0;
    for (const Round& one : asked) {
      const double m = w[0] * one.x[0] + w[1] * one.x[1] + w[2] * one.x[2] + w[3];
      largest = std::max(largest, std::abs(path.mean(one.x) - (probability(m) - share)));
    }
    return largest;
  };
  EXPECT_LT(largest_difference(100), 0.1);
  EXPECT_LT(largest_difference(3000), 0.01);
}

// Of probabilities that the logarithm of the odds tells by a line, from 3 in a thousand to a half.
TEST(LogisticPath, RareClicksAreForecastBetterThanByARidge) {
  constexpr double share = 0.05;
  Path path(2);
  path.append(clicks(3, 10000, -4, share));
  path.catch_up();
  RidgePath ridge({columns, 2}, RidgePath::Basis::line);
  ridge.restart(1);
  ridge.catch_up(path.history, RoundWeights<double>{});
  Scratch scratch;
  double error = 0, error_of_ridge = 0;
  for (const Round& one : clicks(4, 500, -4, share)) {
    const double truth = probability(-4 + one.x[0] + one.x[1] + one.x[2]) - share;
    double straight = 0;
    ridge.ask(one.x.data(), columns, 0, scratch, std::span(&straight, 1), {});
    error += std::pow(path.mean(one.x) - truth, 2);
    error_of_ridge += std::pow(straight - truth, 2);
  }
  EXPECT_LT(error, 0.2 * error_of_ridge);
}

TEST(LogisticPath, SpeaksOfTwoValuesThatHaveComeAgain) {
  const auto speaks = [](const std::vector<double>& rewards) {
    Path path(2);
    for (std::size_t i = 0; i < rewards.size(); ++i) path.append({{{1, 2, 3}, rewards[i]}}, i % 2);
    path.catch_up();
    return path.logistic.speaks();
  };
  EXPECT_TRUE(speaks({-1, 1, -1, 1}));
  EXPECT_TRUE(speaks({1, 1, -0.1, -0.1, 1}));
  EXPECT_TRUE(speaks({2, -1, -1, -1, 2}));
  EXPECT_FALSE(speaks({}));
  EXPECT_FALSE(speaks({1, 1, 1, 1}));
  EXPECT_FALSE(speaks({-1, -1, -1, 1}));
  EXPECT_FALSE(speaks({-1, 1, -1, 1, 0}));
  EXPECT_FALSE(speaks({0, -1, 1, -1, 1}));
  EXPECT_FALSE(speaks({-0.3, 1.2, 0.5, -2, 0.1}));
}

// Who has seen a third value says nothing until it has gone, and what it knew is gone, too.
TEST(LogisticPath, AThirdValueSilencesIt) {
  Path path(2);
  path.append(two_of_each(0.5), 1);
  path.catch_up();
  ASSERT_TRUE(path.logistic.speaks());
  path.append({{{1, 2, 3}, 0.2}});
  path.catch_up();
  EXPECT_FALSE(path.logistic.speaks());
  path.append(two_of_each(0.5), 0);
  path.catch_up();
  EXPECT_FALSE(path.logistic.speaks());
  EXPECT_EQ(path.logistic.waiting(path.history), 0u);
  path.catch_up_anew();
  EXPECT_FALSE(path.logistic.speaks());
  path.history.keep({{.rows = {1, 2, 3, 4}, .factors = {}}, {.rows = {0, 1, 2, 3}, .factors = {}}});
  path.catch_up_anew();
  EXPECT_TRUE(path.logistic.speaks());
  Path fresh(2);
  fresh.append(two_of_each(0.5), 0);
  fresh.catch_up();
  EXPECT_EQ(path.mean({1, 0, 1}), fresh.mean({1, 0, 1}));
}

TEST(LogisticPath, ABlockWithoutRoundsSaysTheMean) {
  Path path(2);
  path.append(two_of_each(0.2), 1);
  path.catch_up();
  EXPECT_EQ(path.mean({1, 2, 3}), 0);
}

TEST(LogisticPath, AWeightOfZeroIsNoRound) {
  Path with(2), without(2);
  const auto rounds = clicks(5, 40, 0, 0.5);
  std::vector<double> weights;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    with.append({rounds[i]});
    weights.push_back(i % 3 == 0 ? 0 : 1);
    if (i % 3 != 0) without.append({rounds[i]});
  }
  with.catch_up({weights, {}});
  without.catch_up();
  for (const Round& round : rounds) EXPECT_EQ(with.mean(round.x), without.mean(round.x));
}

TEST(LogisticPath, HowManyAreTakenInTogetherDoesNotMatter) {
  Path some(2), all(2);
  for (Path* path : {&some, &all}) path->append(clicks(6, 101, -1, 0.3), 0), path->append(clicks(7, 53, -1, 0.3), 1);
  all.catch_up();
  while (some.logistic.waiting(some.history) > 0 || !some.logistic.speaks()) some.catch_up({}, 7);
  for (const Round& round : clicks(8, 20, 0, 0.3))
    for (const std::size_t block : {0, 1}) EXPECT_EQ(some.mean(round.x, block), all.mean(round.x, block));
}

TEST(LogisticPath, SavedAndLoadedGoesOnTheSame) {
  Path a(2);
  LogisticPath b({columns, 2}, true);
  const auto rounds = clicks(9, 200, -1, 0.3);
  a.append(two_of_each(0.3));
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    a.append({rounds[i]}, i % 2);
    a.catch_up();
    if (i == 120) {
      Writer out;
      a.logistic.save(out);
      Reader in(out.bytes(), "logistic");
      b.load(in);
      EXPECT_TRUE(in.at_end());
    }
    if (i > 120) b.catch_up(a.history, RoundWeights<double>{});
  }
  ASSERT_TRUE(b.speaks());
  for (const Round& round : rounds) EXPECT_EQ(a.mean(round.x, 1), b.mean(round.x.data(), 1));
}

// Columns that tell all, contexts beyond all measure, a weight of a million.
TEST(LogisticPath, ForecastsStayBetweenTheTwoValues) {
  constexpr double share = 0.5;
  Path path(2);
  std::vector<double> weights;
  for (std::size_t i = 0; i < 5000; ++i) {
    const double side = i % 2 == 0 ? 1 : -1, size = i % 5 == 0 ? 1e7 : 1;
    path.append({{{side * size, side, 0}, side * share}});
    weights.push_back(i % 7 == 0 ? 1e6 : 1);
  }
  path.catch_up({weights, {}});
  for (const double x : {1.0, -1.0, 1e7, -1e7, 1e300, -1e300, 1e-300}) {
    const double mean = path.mean({x, x, x});
    EXPECT_GE(mean, -share) << x;
    EXPECT_LE(mean, share) << x;
  }
  EXPECT_GT(path.mean({1, 1, 0}), 0.49);
  EXPECT_LT(path.mean({-1, -1, 0}), -0.49);
}

TEST(LogisticPath, WhereItIsNotWantedItCostsNothing) {
  Path path(1000, false);
  path.append(two_of_each(0.5));
  path.catch_up();
  EXPECT_FALSE(path.logistic.speaks());
  EXPECT_EQ(path.logistic.waiting(path.history), 0u);
  EXPECT_EQ(path.logistic.memory(), 0u);
  Writer out;
  path.logistic.save(out);
  EXPECT_TRUE(out.bytes().empty());
}

// As long as a round does not cost a millisecond.
TEST(LogisticPath, IsWantedWhereArmsHaveWeightsOfTheirOwn) {
  const auto wanted = [](const Shape& shape, bool asked) { return ExactPaths(shape, {.logistic = asked}).logistic.wanted(); };
  EXPECT_TRUE(wanted({3, 2}, true));
  EXPECT_TRUE(wanted({54, 7}, true));
  EXPECT_TRUE(wanted({3, 1000}, true));
  EXPECT_FALSE(wanted({3, 2}, false));
  EXPECT_FALSE(wanted({3, 1}, true));
  EXPECT_FALSE(wanted({784, 10}, true));
}

}  // namespace
}  // namespace neuralts
