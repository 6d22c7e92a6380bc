#include "model/standardiser.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "model/observations.hpp"
#include "model/spread.hpp"

namespace neuralts {
namespace {

std::vector<double> normals(std::size_t n) {
  Stream stream(7, Purpose::environment);
  std::vector<double> out(n);
  for (double& value : out) value = stream.normal();
  return out;
}

TEST(Spread, OfOrdinaryNumbersIsMeanAndDeviation) {
  std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const Spread spread = spread_of(values, {.share = 0.01});
  EXPECT_NEAR(spread.centre, 6.5, 1e-12);
  EXPECT_NEAR(spread.scale, std::sqrt(143.0 / 12), 1e-12);
}

TEST(Spread, AWildNumberCountsAsSixDeviationsOfTheOthers) {
  const auto values = normals(200);
  for (const double wild : {1e3, -1e10}) {
    std::vector<double> plain = values, with = values;
    with[17] = wild;
    const Spread a = spread_of(plain, {.share = 0.01}), b = spread_of(with, {.share = 0.01});
    EXPECT_NEAR(a.centre, b.centre, 8 * a.scale / 200);
    EXPECT_LT(b.scale, 1.2 * a.scale);  // sqrt(1 + 36 / 200) is 1.09
  }
}

// One click among a hundred is no mistake, nor is a column that is hardly ever anything but 0.
TEST(Spread, RareNumbersAmongEqualOnesCount) {
  std::vector<double> clicks(100), rare(1000);
  clicks[60] = 1;
  rare[3] = 5, rare[500] = -3;
  EXPECT_NEAR(spread_of(clicks, {.share = 0.002}).scale, std::sqrt(0.0099), 1e-12);
  EXPECT_GT(spread_of(rare, {.share = 0.01}).scale, 0.1);
}

// -999 for "not known": what it is called says nothing about the size of the others.
TEST(Spread, ACodeHasNoPartInIt) {
  const auto values = normals(200);
  for (const double code : {1e3, -999.0, 1e10})
    for (const int every : {3, 10, 80}) {
      std::vector<double> with = values, others;
      for (int i = 0; i < 200; ++i)
        if (i % every == 0) with[static_cast<std::size_t>(i)] = code;
        else others.push_back(values[static_cast<std::size_t>(i)]);
      const Spread a = spread_of(others, {.share = 0.01}), b = spread_of(with, {.share = 0.01, .codes = true});
      EXPECT_NEAR(a.centre, b.centre, 1e-12);
      EXPECT_NEAR(a.scale, b.scale, 1e-12);
    }
}

// "Not known" and "does not apply".
TEST(Spread, NoCodeHidesTheOneAtTheOtherEnd) {
  const auto values = normals(200);
  for (const auto& [one, other] : {std::pair{-999.0, 99999.0}, {-99999.0, 999.0}}) {
    std::vector<double> with = values, others;
    for (std::size_t i = 0; i < 200; ++i)
      if (i % 10 < 2) with[i] = i % 10 == 0 ? one : other;
      else others.push_back(values[i]);
    const Spread a = spread_of(others, {.share = 0.01}), b = spread_of(with, {.share = 0.01, .codes = true});
    EXPECT_NEAR(a.centre, b.centre, 1e-12) << one << " " << other;
    EXPECT_NEAR(a.scale, b.scale, 1e-12) << one << " " << other;
  }
}

TEST(Spread, OneCodeAtAnEndIsAll) {
  std::vector<double> decades;
  for (int i = 0; i < 120; ++i) decades.push_back(std::pow(10, i % 4));
  EXPECT_NEAR(spread_of(decades, {.codes = true}).centre, 37, 1e-12);  // of 1, 10 and 100
}

TEST(Spread, NoCodesAreNumbersThatMayBeOneOfTwoUsualOnesAndTheNextOfARow) {
  std::vector<double> coin(100), usual(100), row(100);
  for (std::size_t i = 0; i < 100; ++i) {
    coin[i] = i % 3 == 0 ? 999 : 0;
    usual[i] = i % 3 == 0 ? static_cast<double>(i % 7) : 999;
    row[i] = static_cast<double>(i % 5 * (i % 5));
  }
  for (const auto& values : {coin, usual, row}) {
    std::vector<double> one = values, same = values;
    const Spread a = spread_of(one, {.share = 0.01}), b = spread_of(same, {.share = 0.01, .codes = true});
    EXPECT_EQ(a.centre, b.centre);
    EXPECT_EQ(a.scale, b.scale);
  }
}

TEST(Spread, FollowsUnitsAndOffsets) {
  for (const double scale : {4.0, -0.5}) {
    std::vector<double> plain = normals(60), mapped = plain;
    plain[3] = mapped[3] = 1000;
    plain[7] = plain[8] = mapped[7] = mapped[8] = 8000;
    for (double& value : mapped) value = scale * value + 64;
    const Outliers outliers{.share = 0.05, .codes = true};
    const Spread a = spread_of(plain, outliers), b = spread_of(mapped, outliers);
    EXPECT_NEAR(b.centre, scale * a.centre + 64, 1e-10);
    EXPECT_NEAR(b.scale, std::abs(scale) * a.scale, 1e-10);
  }
}

// With wild ones among them, so that the share left out falls within copies of a number.
TEST(Spread, AWeightIsTheNumberSoManyTimes) {
  const auto values = normals(150);
  for (const double share : {0.0, 0.01, 0.1}) {
    std::vector<Weighted> weighted;
    std::vector<double> repeated;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = i % 40 == 7 ? 100 * values[i] : values[i];
      weighted.push_back({value, static_cast<double>(i % 4)});
      repeated.insert(repeated.end(), i % 4, value);
    }
    const Spread a = spread_of(weighted, {.share = share}), b = spread_of(repeated, {.share = share});
    EXPECT_NEAR(a.centre, b.centre, 1e-12 * b.scale);
    EXPECT_NEAR(a.scale, b.scale, 1e-12 * b.scale);
  }
}

TEST(Spread, OfNothingOrOneNumberIsNoScatter) {
  std::vector<double> none, one = {3};
  EXPECT_EQ(spread_of(none, {.share = 0.01}).scale, 0);
  EXPECT_EQ(spread_of(one, {.share = 0.01}).centre, 3);
  EXPECT_EQ(spread_of(one, {.share = 0.01}).scale, 0);
}

// What is decided on and what is learned from are the same numbers, also for seconds since 1970 in float32, and
// also when the very first round was a mistake that all others are far from.
TEST(Standardiser, DecisionsAndTrainingsSeeTheSameNumbers) {
  for (const bool mistaken : {false, true}) {
    const Shape shape{2, 1};
    Observations<float> observations({.inputs = true, .rewards = true, .growth = 1.3}, shape);
    const auto noise = normals(400);
    std::vector<std::vector<double>> contexts;
    for (std::size_t i = 0; i < 200; ++i) {
      contexts.push_back({1.7e9 + 100 * noise[i], mistaken && i == 0 ? 1e12 : noise[200 + i]});
      observations.append({{contexts.back(), 0}, noise[i]});
      observations.refit();
    }
    for (std::size_t i = 5; i < 200; ++i) {
      float seen[2];
      observations.scaling().map(contexts[i], seen);
      for (std::size_t j = 0; j < 2; ++j)
        EXPECT_NEAR(observations.history().blocks()[0].x[2 * i + j], seen[j], 1e-4) << i << " " << j;
    }
  }
}

// A column that stays what it was is not mapped anew once it is well known; one that moves is. Twice the rounds
// each time.
TEST(Standardiser, AWellKnownScaleStaysUntilItHasMoved) {
  const StandardiserSettings settings{.inputs = true, .rewards = true};
  Observations<double> seen(settings, {.length = 1});
  Stream stream(3, Purpose::environment);
  const auto live = [&](std::size_t rounds, double offset) {
    for (std::size_t i = 0; i < rounds; ++i) {
      const double x = offset + stream.normal();
      seen.append({{std::span(&x, 1)}, x + stream.normal()});
    }
    return seen.refit();
  };
  EXPECT_TRUE(live(20000, 0));
  EXPECT_FALSE(live(20000, 0));
  EXPECT_FALSE(live(10, 0));
  Writer out;
  seen.save(out);
  Observations<double> loaded(settings, {.length = 1});
  Reader in(out.bytes(), "test");
  loaded.load(in);
  Writer again;
  loaded.save(again);
  EXPECT_EQ(again.bytes(), out.bytes());
  EXPECT_EQ(seen.fitted(), 20000u);
  EXPECT_FALSE(loaded.refit());
  EXPECT_TRUE(live(40000, 1));  // the mean of all is now 0.5
  EXPECT_EQ(seen.fitted(), 80010u);
}

TEST(Standardiser, BeforeTheFirstRoundAllContextsLookAlikeAndNewNumbersAreFarAway) {
  Standardiser<double> standardiser({.inputs = true, .rewards = true}, {1, 1});
  const std::vector<double> x = {5};
  double seen = 1;
  standardiser.scaling().map(x, &seen);
  EXPECT_EQ(seen, 0);
  Observations<double> observations({.inputs = true, .rewards = true}, {1, 1});
  observations.append({{x, 0}, 1.0});
  observations.refit();
  const std::vector<double> other = {5.001};
  observations.scaling().map(other, &seen);
  EXPECT_EQ(seen, 2);  // the clip
  EXPECT_EQ(observations.scaling().mean(3), 1);  // rewards that never varied have one mean
}

// Contexts of two numbers for a model of three: the last is the same in every round, before and behind a fit,
// for learning and decisions.
TEST(Standardiser, AnInterceptIsAConstantBehindTheColumns) {
  for (const auto& [standardised, rewards] : {std::pair{false, false}, {false, true}, {true, true}}) {
    Observations<double> seen({.inputs = standardised, .rewards = rewards, .intercept = true}, {3, 2});
    const auto numbers = normals(40);
    for (std::size_t i = 0; i < 40; i += 2) {
      const std::vector<double> x = {100 + numbers[i], numbers[i + 1]};
      seen.append({{x, i / 2 % 2}, numbers[i]});
      seen.refit();
    }
    const double constant = standardised ? 1 / std::sqrt(3.0) : 1;
    for (const auto& block : seen.history().blocks())
      for (std::size_t row = 0; row < block.rows(); ++row) EXPECT_NEAR(block.x[row * 3 + 2], constant, 1e-12);
    Scratch scratch;
    const std::vector<double> x = {100, 0};
    const auto batch = seen.scaling().map(Contexts::disjoint(x, 2), scratch);
    EXPECT_NEAR(batch.x[2], constant, 1e-12);
    if (standardised) {
      EXPECT_LT(std::abs(batch.x[0]), 1);  // centred
    }
  }
}

}  // namespace
}  // namespace neuralts
