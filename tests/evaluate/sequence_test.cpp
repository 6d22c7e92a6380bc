// Confidence sequences against their formulas with all sums written out.
#include "evaluate/sequence.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/known_worlds.hpp"

namespace neuralts::evaluation {
namespace {

std::vector<double> phis(std::size_t n, double k, std::uint64_t seed = 1) {
  std::vector<double> all;
  for (const Judged& event : learning_log(n, seed, k).events) all.push_back(scores(event, {0, 1}, k).gain);
  return all;
}

double naive_bernstein(const std::vector<double>& phi, double alpha, double k) {
  double lower = 0;
  for (std::size_t t = 1; t <= phi.size(); ++t) {
    double gain = 0, price = 0, stakes = 0;
    double sum = 0, squares = 0, before = 0;
    for (std::size_t i = 1; i <= t; ++i) {
      const double xi = phi[i - 1] / (1 + k), s2 = (0.25 + squares) / static_cast<double>(i);
      const double lambda = std::min(
          0.5, std::sqrt(2 * std::log(1 / alpha) /
                         (s2 * static_cast<double>(i) * std::log(1 + static_cast<double>(i)))));
      gain += lambda * xi, stakes += lambda;
      price += std::pow(xi - before, 2) * (-std::log(1 - lambda) - lambda);
      sum += xi;
      before = std::min(sum / static_cast<double>(i), 1 / (1 + k));
      squares += std::pow(xi - before, 2);
    }
    lower = std::max(lower, (1 + k) * (gain - std::log(1 / alpha) - price) / stakes);
  }
  return lower;
}

bool naively_refused(const std::vector<double>& phi, double alpha, double k, double v) {
  double wealth = 0, sum = 0, squares = 0.25;
  for (std::size_t i = 1; i <= phi.size(); ++i) {
    const double t = static_cast<double>(i), s2 = squares / t;
    const double lambda = std::min(std::sqrt(2 * std::log(1 / alpha) / (s2 * t * std::log(1 + t))), 0.5 / (k + v));
    wealth += std::log(1 + lambda * (phi[i - 1] - v));
    if (wealth >= std::log(1 / alpha)) return true;
    sum += phi[i - 1];
    squares += std::pow(phi[i - 1] - std::min(sum / t, 1.0), 2);
  }
  return false;
}

TEST(Sequence, BernsteinIsItsFormula) {
  for (const double k : {0., 0.5}) {
    const auto phi = phis(400, k);
    EmpiricalBernstein side(0.025, k);
    for (const double value : phi) side.add(value);
    EXPECT_NEAR(side.lower(), naive_bernstein(phi, 0.025, k), 1e-12);
    EXPECT_GT(side.lower(), 0);
  }
}

TEST(Sequence, BettingRefusesWhatTheWealthSays) {
  for (const double k : {0., 0.5}) {
    const auto phi = phis(3000, k);
    Betting side(0.025, k);
    for (const double value : phi) side.add(value);
    EXPECT_TRUE(naively_refused(phi, 0.025, k, side.lower()));
    EXPECT_FALSE(naively_refused(phi, 0.025, k, side.lower() + 1e-8));
    for (double v = 0.05; v < 1; v += 0.05)
      EXPECT_EQ(side.refused(v, phi.size()), naively_refused(phi, 0.025, k, v)) << v;
  }
}

TEST(Sequence, BoundsOnlyTighten) {
  const auto log = learning_log(5000, 3);
  ConfidenceSequence<EmpiricalBernstein> bernstein({0, 1}, 0.95, 0);
  ConfidenceSequence<Betting> betting({0, 1}, 0.95, 0);
  Interval before{0, 1};
  for (const Judged& event : log.events) {
    bernstein.add(event), betting.add(event);
    const Interval now = bernstein.interval();
    EXPECT_GE(now.low, before.low);
    EXPECT_LE(now.high, before.high);
    before = now;
  }
  double last = 0;
  for (const std::size_t n : {100, 1000, 2500, 5000}) {
    EXPECT_GE(betting.gain().lower(n), last);
    last = betting.gain().lower(n);
  }
  EXPECT_EQ(last, betting.gain().lower());
}

TEST(Sequence, ItKnowsWhenItsValueDoesNotStay) {
  const auto end = [](std::size_t ones_before, std::size_t ones_after) {
    ConfidenceSequence<EmpiricalBernstein> found({0, 1}, 0.95, 0);
    for (std::size_t i = 0; i < 2000; ++i)
      found.add({.weight = 1, .reward = i % 10 < (i < 1000 ? ones_before : ones_after) ? 1. : 0.});
    return found.end();
  };
  const Interval mean{0.45, 0.52};
  const SequenceEnd same = end(5, 5), falls = end(6, 4), turns = end(9, 1);
  EXPECT_TRUE(same.stays());
  EXPECT_EQ(same.with(mean).low, same.bounds.low);
  EXPECT_TRUE(falls.mean_left && !falls.crossed);  // above the mean of all events, while the two bounds still meet
  EXPECT_GT(falls.bounds.low, 0.5);
  EXPECT_EQ(falls.with(mean).low, 0.45);
  EXPECT_EQ(falls.with(mean).high, falls.bounds.high);
  EXPECT_TRUE(turns.crossed);
  EXPECT_EQ(turns.with(mean).high, 0.52);
}

// A wealth that falls below the smallest double and comes back is not lost.
TEST(Sequence, ALongLosingStreakDoesNotOverflow) {
  std::vector<double> phi(3000, 0.0);
  phi.resize(30000, 1.0);
  Betting side(0.05, 0);
  for (const double value : phi) side.add(value);
  for (const double v : {0.01, 0.03, 0.1, 0.3, 0.5, 0.9})
    EXPECT_EQ(side.refused(v, phi.size()), naively_refused(phi, 0.05, 0, v)) << v;
  EXPECT_TRUE(side.refused(0.01, phi.size()));
  EXPECT_FALSE(side.refused(0.01, 3000));
}

TEST(Sequence, UnitsOfTheRewardsDoNotMatter) {
  const auto log = learning_log(2000, 7);
  ConfidenceSequence<EmpiricalBernstein> plain({0, 1}, 0.9, 0), scaled({-5, 15}, 0.9, 0);
  for (Judged event : log.events) {
    plain.add(event);
    event.reward = -5 + 20 * event.reward;
    scaled.add(event);
  }
  EXPECT_NEAR(scaled.interval().low, -5 + 20 * plain.interval().low, 1e-10);
  EXPECT_NEAR(scaled.interval().high, -5 + 20 * plain.interval().high, 1e-10);
}

// The scores have the value as their mean whatever the model says, and stay above -k: over all actions of one
// context, exactly.
TEST(Sequence, ScoresAreUnbiasedAndBoundedForAnyModel) {
  Stream stream(1, Purpose::environment);
  for (int round = 0; round < 200; ++round) {
    const double k = 2 * stream.uniform();
    std::vector<double> h(5), pi(5), q(5), r(5);
    double sum_h = 0, sum_pi = 0;
    for (std::size_t b = 0; b < 5; ++b)
      sum_h += h[b] = stream.uniform(), sum_pi += pi[b] = stream.uniform(), q[b] = stream.uniform(),
               r[b] = stream.uniform();
    double floor = 0, loss_floor = 0, value = 0;
    for (std::size_t b = 0; b < 5; ++b) {
      h[b] /= sum_h, pi[b] /= sum_pi;
      floor += std::min(pi[b] * q[b], k * h[b]), loss_floor += std::min(pi[b] * (1 - q[b]), k * h[b]);
      value += pi[b] * r[b];
    }
    double gain = 0, loss = 0;
    for (std::size_t a = 0; a < 5; ++a) {
      const Scores both = scores({pi[a] / h[a], r[a], q[a], 0, floor, loss_floor}, {0, 1}, k);
      EXPECT_GE(both.gain, -k - 1e-12);
      EXPECT_GE(both.loss, -k - 1e-12);
      gain += h[a] * both.gain, loss += h[a] * both.loss;
    }
    EXPECT_NEAR(gain, value, 1e-12);
    EXPECT_NEAR(loss, 1 - value, 1e-12);
  }
}

}  // namespace
}  // namespace neuralts::evaluation
