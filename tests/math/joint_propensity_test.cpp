#include "math/joint_propensity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/every_target.hpp"

namespace neuralts::math {
namespace {

struct Case {
  std::vector<double> mean, factors, xi;
  JointScores scores() const { return {mean, factors}; }
};

Case random_case(std::uint64_t seed, std::size_t arms, std::size_t rank) {
  Stream stream(seed, Purpose::theory);
  Case c{std::vector<double>(arms), std::vector<double>(arms * rank), std::vector<double>(rank)};
  for (auto* list : {&c.mean, &c.factors, &c.xi})
    for (double& value : *list) value = stream.normal();
  return c;
}

std::vector<double> estimate(const Case& c, std::size_t samples, std::uint64_t seed = 1) {
  Stream stream(seed, Purpose::exploration);
  Scratch scratch;
  std::vector<double> p(c.mean.size());
  joint_propensity(c.scores(), c.xi, samples, stream, scratch, p);
  return p;
}

// The definition: draw, count who leads.
std::vector<double> frequencies(const Case& c, std::size_t draws) {
  Stream stream(99, Purpose::theory);
  std::vector<double> p(c.mean.size()), xi(c.xi.size()), score(c.mean.size());
  for (std::size_t i = 0; i < draws; ++i) {
    for (double& value : xi) value = stream.normal();
    joint_scores(c.scores(), xi, score);
    p[static_cast<std::size_t>(std::max_element(score.begin(), score.end()) - score.begin())] +=
        1.0 / static_cast<double>(draws);
  }
  return p;
}

TEST(JointPropensity, TwoArmsAreExactWithOneSample) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Case c = random_case(seed, 2, 4);
    double spread = 0;
    for (std::size_t i = 0; i < 4; ++i) spread += std::pow(c.factors[i] - c.factors[4 + i], 2);
    const double exact = 0.5 * std::erfc((c.mean[1] - c.mean[0]) / std::sqrt(2 * spread));
    EXPECT_NEAR(estimate(c, 1)[0], exact, 1e-12) << seed;
  }
}

// Frequencies of n draws have a standard deviation below 0.5 / sqrt(n), averages of s samples below 0.5 /
// sqrt(s): five of both.
TEST(JointPropensity, AgreesWithFrequencies) {
  for (const std::size_t arms : {3, 5, 9})
    for (const std::size_t rank : {1, 2, 6}) {
      const Case c = random_case(arms * 10 + rank, arms, rank);
      const auto p = estimate(c, 20000), q = frequencies(c, 20000);
      for (std::size_t k = 0; k < arms; ++k)
        EXPECT_NEAR(p[k], q[k], 5 * std::hypot(0.5, 0.5) / std::sqrt(20000.0)) << arms << ' ' << rank;
    }
}

// Many arms go another way: hopeless ones are left out, lines that cannot lead are sifted out. The bound is the
// one above.
TEST(JointPropensity, AgreesWithFrequenciesAmongManyArms) {
  with_every_target([] {
    for (const std::size_t arms : {31, 33, 300}) {
      Case c = random_case(arms, arms, 6);
      for (double& mean : c.mean) mean *= 0.5;
      const auto p = estimate(c, 20000), q = frequencies(c, 20000);
      for (std::size_t k = 0; k < arms; ++k)
        EXPECT_NEAR(p[k], q[k], 5 * std::hypot(0.5, 0.5) / std::sqrt(20000.0)) << arms;
      EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-12);
    }
  });
}

// The error of s samples is said to fall with the root of s: its root mean square over 50 estimates is below
// 0.5 / sqrt(s), and four times as many samples leave less than 0.7 of it (one half is expected; the square's
// relative spread over 50 x 40 numbers is small).
TEST(JointPropensity, TheErrorFallsWithTheRootOfTheSamples) {
  const Case c = random_case(5, 40, 6);
  const auto exact = estimate(c, 200'000);
  const auto error = [&](std::size_t samples) {
    double square = 0;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      const auto p = estimate(c, samples, seed);
      for (std::size_t k = 0; k < p.size(); ++k) square += std::pow(p[k] - exact[k], 2);
    }
    return std::sqrt(square / 50);
  };
  const double few = error(64), many = error(256);
  EXPECT_LT(few, 0.5 / std::sqrt(64.0) * std::sqrt(40.0));
  EXPECT_LT(many, 0.7 * few);
}

TEST(JointPropensity, EqualArmsShareEvenlyAmongManyOthers) {
  Case c = random_case(3, 60, 4);
  for (const std::size_t k : {7u, 31u, 59u}) {
    c.mean[k] = 2.5;
    std::copy_n(c.factors.begin(), 4, c.factors.begin() + std::ptrdiff_t(4 * k));
  }
  const auto p = estimate(c, 64);
  EXPECT_GT(p[7], 0);
  EXPECT_DOUBLE_EQ(p[7], p[31]);
  EXPECT_DOUBLE_EQ(p[7], p[59]);
}

// More numbers than arms: drawn within the factors' span.
TEST(JointPropensity, EqualArmsOfManyNumbersShareEvenly) {
  Case c = random_case(4, 5, 20);
  c.mean[1] = c.mean[4];
  std::copy_n(c.factors.begin() + 80, 20, c.factors.begin() + 20);
  const auto p = estimate(c, 64);
  EXPECT_GT(p[1], 0);
  EXPECT_DOUBLE_EQ(p[1], p[4]);
}

TEST(JointPropensity, TheArmOfTheDrawIsPossibleAndAllSumToOne) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Case c = random_case(seed, 6, 3);
    std::vector<double> score(6);
    joint_scores(c.scores(), c.xi, score);
    const auto p = estimate(c, 4, seed);
    EXPECT_GT(p[static_cast<std::size_t>(std::max_element(score.begin(), score.end()) - score.begin())], 0) << seed;
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-12);
  }
}

TEST(JointPropensity, EqualArmsShareEvenly) {
  Case c = random_case(3, 4, 2);
  c.mean[1] = c.mean[3];
  std::copy_n(c.factors.begin() + 6, 2, c.factors.begin() + 2);
  const auto p = estimate(c, 50);
  EXPECT_DOUBLE_EQ(p[1], p[3]);
  EXPECT_GT(p[1], 0);
}

TEST(JointPropensity, WithoutNoiseTheLargestMeansShare) {
  const Case c{{1, 3, 3, 2}, std::vector<double>(8, 0.0), {0.3, -1}};
  EXPECT_EQ(estimate(c, 3), (std::vector<double>{0, 0.5, 0.5, 0}));
}

}  // namespace
}  // namespace neuralts::math
