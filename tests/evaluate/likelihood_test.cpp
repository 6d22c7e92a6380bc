// Empirical likelihood and Cressie-Read against what they are defined by, solved in the plainest way.
#include "evaluate/likelihood.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "evaluate/cressie_read.hpp"
#include "neuralts/random.hpp"

namespace neuralts::evaluation {
namespace {

struct Data {
  std::vector<double> weight, term;
};

Data some_data(std::size_t n, std::uint64_t seed, double heavy = 1) {
  Stream stream(seed, Purpose::environment);
  Data data;
  for (std::size_t i = 0; i < n; ++i) {
    const double w = stream.uniform() < 0.4 ? 0 : std::min(20.0, std::exp(heavy * stream.normal() - 0.1));
    data.weight.push_back(w);
    data.term.push_back(w * (stream.uniform() < 0.6 ? 1 : 0));
  }
  return data;
}

// max of the dual over a grid of s and t that is refined around the best.
double dual_by_search(const Data& data, double most, const std::vector<double>& gain, double constant) {
  const double n = static_cast<double>(gain.size()), p1 = 1 / most;
  const auto value = [&](double s, double t) {
    double logs = 0;
    for (std::size_t i = 0; i < gain.size(); ++i) {
      const double p = data.weight[i] / most;
      logs += std::log(gain[i] + s * (1 - p) + t * p);
    }
    return std::exp((logs - constant) / n) - s * (1 - p1) - t * p1;
  };
  double at_s = 2, at_t = 2, best = -1;
  for (double span = 12; span > 1e-7; span *= 0.6) {
    const double from_s = at_s, from_t = at_t;
    for (int i = -8; i <= 8; ++i)
      for (int j = -8; j <= 8; ++j) {
        const double s = from_s + span * i / 8, t = from_t + span * j / 8;
        if (const double v = value(std::exp(s), std::exp(t)); v > best) best = v, at_s = s, at_t = t;
      }
  }
  return best;
}

// Of a concave function of t: by thirds.
double largest_log_sum(const Data& data, double most) {
  const double p1 = 1 / most;
  const auto value = [&](double t) {
    double logs = 0;
    for (const double w : data.weight) logs += std::log((1 - t * p1) / (1 - p1) * (1 - w / most) + t * w / most);
    return logs;
  };
  double low = 0, high = 1 / p1;
  for (int step = 0; step < 200; ++step) {
    const double left = low + (high - low) / 3, right = high - (high - low) / 3;
    (value(left) < value(right) ? low : high) = value(left) < value(right) ? left : right;
  }
  return value((low + high) / 2);
}

TEST(Likelihood, TheIntervalIsTheMaximumOfTheDual) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Data data = some_data(40, seed);
    const double most = 25, constant = largest_log_sum(data, most) + profile_depth(40, 0.95);
    std::vector<double> missing;
    for (std::size_t i = 0; i < 40; ++i) missing.push_back(data.weight[i] - data.term[i]);
    const Interval found = likelihood_interval({data.weight, data.term, {0, most}}, 0.95);
    EXPECT_NEAR(found.low, dual_by_search(data, most, data.term, constant), 1e-6);
    EXPECT_NEAR(found.high, 1 - dual_by_search(data, most, missing, constant), 1e-6);
  }
}

// With all weights 1 it is Owen's interval of a mean: the ends are the means whose profile is the depth below
// the maximum.
TEST(Likelihood, WithoutWeightsItIsThatOfAMean) {
  Stream stream(5, Purpose::environment);
  const std::size_t n = 60;
  std::vector<double> ones(n, 1), terms(n);
  for (double& term : terms) term = stream.uniform();
  const Interval found = likelihood_interval({ones, terms, {0, 100}}, 0.9);
  // -max sum ln(n Q_i), by its own dual: max over l of sum ln(1 + l (y_i - mean)).
  const auto profile = [&](double mean) {
    double best = 0;
    for (int step = -20000; step <= 20000; ++step) {
      const double l = step / 20000. * 10;
      double sum = 0;
      for (const double y : terms) sum += 1 + l * (y - mean) > 0 ? std::log(1 + l * (y - mean)) : -HUGE_VAL;
      best = std::max(best, sum);
    }
    return best;
  };
  EXPECT_NEAR(profile(found.low), profile_depth(n, 0.9), 1e-3);
  EXPECT_NEAR(profile(found.high), profile_depth(n, 0.9), 1e-3);
  double mean = 0;
  for (const double y : terms) mean += y / static_cast<double>(n);
  EXPECT_NEAR(likelihood_value({ones, terms, {0, 100}}), mean, 1e-12);
}

TEST(Likelihood, TheValueSatisfiesTheConstraintAndLiesInside) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Data data = some_data(500, seed, 1.5);
    const WeightedTerms terms{data.weight, data.term, {0, 50}};
    const Interval found = likelihood_interval(terms, 0.95);
    EXPECT_LT(found.low, likelihood_value(terms));
    EXPECT_GT(found.high, likelihood_value(terms));
    // Every reward 1: the value of w is 1 by the constraint.
    const WeightedTerms constant{data.weight, data.weight, {0, 50}};
    EXPECT_NEAR(likelihood_value(constant), 1, 1e-9);
  }
}

TEST(Likelihood, RewardsThatAreAllTheSameHaveThatEnd) {
  const std::vector<double> weights{0, 2, 0, 2, 1, 3}, nothing(6, 0.0);
  const Interval none = likelihood_interval({weights, nothing, {0, 10}}, 0.95);
  EXPECT_EQ(none.low, 0);
  EXPECT_GT(none.high, 0);
  EXPECT_LE(none.high, 1);
}

TEST(Likelihood, AModelThatIsRightNarrowsIt) {
  const Data data = some_data(2000, 9, 1.2);
  std::vector<double> modelled;  // predictions of 0.6 everywhere: 0.6 + w (r - 0.6)
  for (std::size_t i = 0; i < data.term.size(); ++i) modelled.push_back(0.6 + data.term[i] - 0.6 * data.weight[i]);
  const Interval plain = likelihood_interval({data.weight, data.term, {0, 30}}, 0.95);
  const Interval robust = likelihood_interval({data.weight, modelled, {0, 30}, {0, 1}, {-1, 1}}, 0.95);
  EXPECT_NEAR(robust.low, plain.low, 0.01);  // E[w] = 1 is built in: a constant prediction tells nothing new
  EXPECT_NEAR(robust.high, plain.high, 0.01);
}

// Restated over the n + 1 events: the nearest Q with E[w] = 1, then along what of y is not explained by w.
TEST(CressieRead, TheIntervalIsTheExtremeOfTheQuadraticProblem) {
  const Data data = some_data(300, 4, 1.3);
  const double most = 30;
  CressieRead read({0, most}, {0, 0}, {0, 1});
  for (std::size_t i = 0; i < 300; ++i) read.add(data.weight[i], data.term[i]);
  const Interval found = read.interval(0.95);
  const auto lowest = [&](double sign) {
    double best = HUGE_VAL, budget = HUGE_VAL;
    for (const bool measuring : {true, false})
      for (const double fake : {0.0, most}) {
        auto w = data.weight;
        auto y = data.term;
        w.push_back(fake);
        y.push_back(sign > 0 ? 0 : fake);
        const double n = static_cast<double>(w.size());
        double mw = 0, my = 0, ww = 0, wy = 0, yy = 0;
        for (std::size_t i = 0; i < w.size(); ++i) mw += w[i] / n, my += y[i] / n;
        for (std::size_t i = 0; i < w.size(); ++i)
          ww += (w[i] - mw) * (w[i] - mw), wy += (w[i] - mw) * (y[i] - my), yy += (y[i] - my) * (y[i] - my);
        std::vector<double> q(w.size());  // n Q - 1, the least that makes E[w] = 1
        double cost = 0;
        for (std::size_t i = 0; i < w.size(); ++i) q[i] = (1 - mw) * n * (w[i] - mw) / ww, cost += q[i] * q[i];
        if (measuring) {
          budget = std::min(budget, cost);
          continue;
        }
        const double left = budget + 2 * profile_depth(300, 0.95) - cost;
        if (left < 0) continue;
        double value = 0, length = 0;
        std::vector<double> e(w.size());
        for (std::size_t i = 0; i < w.size(); ++i) e[i] = y[i] - my - wy / ww * (w[i] - mw), length += e[i] * e[i];
        for (std::size_t i = 0; i < w.size(); ++i)
          value += (1 + q[i] - sign * std::sqrt(left / length) * e[i]) / n * y[i];
        best = std::min(best, sign * value);
      }
    return sign * best;
  };
  EXPECT_NEAR(found.low, std::clamp(lowest(1), 0.0, 1.0), 1e-10);
  EXPECT_NEAR(found.high, std::clamp(lowest(-1), 0.0, 1.0), 1e-10);
  EXPECT_GT(read.value(), found.low);
  EXPECT_LT(read.value(), found.high);
}

}  // namespace
}  // namespace neuralts::evaluation
