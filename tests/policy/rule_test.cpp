#include "neuralts/rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace neuralts {
namespace {

using Numbers = std::vector<double>;

Decision prepared(const Numbers& mean, const Numbers& width) {
  Decision decision;
  decision.mean = mean;
  decision.width = width;
  decision.score.assign(mean.size(), 0);
  decision.probabilities.assign(mean.size(), 0);
  return decision;
}

struct Case {
  const char* name;
  std::unique_ptr<Rule> (*make)();
  Numbers mean, width, probabilities;
};

const double half_normal_tail = 0.5 * std::erfc(0.5);  // P(N(0, 2) > 1)

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"greedy", make_greedy, {1, 3, 2}, {9, 9, 9}, {0, 1, 0}},
      {"greedy, ties", make_greedy, {3, 1, 3}, {0, 0, 0}, {0.5, 0, 0.5}},
      {"greedy, all equal", make_greedy, {0, 0, 0, 0}, {0, 0, 0, 0}, {0.25, 0.25, 0.25, 0.25}},
      {"greedy, one arm", make_greedy, {-1}, {0}, {1}},
      {"epsilon", [] { return make_epsilon_greedy(0.3); }, {1, 3, 2}, {0, 0, 0}, {0.1, 0.8, 0.1}},
      {"epsilon, ties", [] { return make_epsilon_greedy(0.3); }, {3, 3, 2}, {0, 0, 0}, {0.45, 0.45, 0.1}},
      {"epsilon 0", [] { return make_epsilon_greedy(0); }, {1, 2}, {0, 0}, {0, 1}},
      {"epsilon 1", [] { return make_epsilon_greedy(1); }, {1, 2}, {0, 0}, {0.5, 0.5}},
      {"ucb", [] { return make_ucb(2); }, {1, 2, 0}, {1, 0.25, 1}, {1, 0, 0}},
      {"ucb, ties", [] { return make_ucb(2); }, {1, 2, 0}, {0.5, 0, 1}, {1. / 3, 1. / 3, 1. / 3}},
      {"thompson", [] { return make_thompson(2); }, {0, 1}, {0.5, 0.5}, {half_normal_tail, 1 - half_normal_tail}},
      {"thompson, points", [] { return make_thompson(0.1); }, {1, 1, 0}, {0, 0, 0}, {0.5, 0.5, 0}},
      {"thompson, nu 0", [] { return make_thompson(0); }, {1, 2, 0}, {5, 5, 5}, {0, 1, 0}},
      {"thompson, equal", [] { return make_thompson(3); }, {1, 1, 1}, {2, 2, 2}, {1. / 3, 1. / 3, 1. / 3}},
  };
  return all;
}

TEST(Rule, ProbabilitiesAreThoseOfTheTable) {
  for (const auto& c : cases()) {
    Stream stream(1, Purpose::exploration);
    Scratch scratch;
    Decision decision = prepared(c.mean, c.width);
    c.make()->choose(stream, scratch, decision);
    for (std::size_t k = 0; k < c.mean.size(); ++k)
      EXPECT_NEAR(decision.probabilities[k], c.probabilities[k], 1e-8) << c.name << " arm " << k;
    EXPECT_NEAR(std::accumulate(decision.probabilities.begin(), decision.probabilities.end(), 0.0), 1, 1e-12)
        << c.name;
    EXPECT_EQ(decision.probability, decision.probabilities[decision.arm]) << c.name;
    EXPECT_GT(decision.probability, 0) << c.name;
  }
}

// A count of n draws with chance p has variance n p (1 - p). Five standard deviations, plus one for rounding: a
// miss in about 2e6 per arm, 40 arms.
void expect_frequencies(const Rule& rule, const Numbers& mean, const Numbers& width, const std::string& name) {
  const int n = 20000;
  Stream stream(5, Purpose::exploration);
  Scratch scratch;
  Decision decision = prepared(mean, width);
  Numbers count(mean.size());
  for (int i = 0; i < n; ++i) {
    scratch.reset();
    rule.choose(stream, scratch, decision);
    ++count[decision.arm];
  }
  for (std::size_t k = 0; k < mean.size(); ++k) {
    const double p = decision.probabilities[k];
    EXPECT_NEAR(count[k], n * p, 5 * std::sqrt(n * p * (1 - p)) + 1) << name << " arm " << k;
  }
}

TEST(Rule, ArmsComeAsOftenAsTheirProbabilitiesSay) {
  for (const auto& c : cases()) expect_frequencies(*c.make(), c.mean, c.width, c.name);
  expect_frequencies(*make_thompson(0.7), {0.1, 0.3, 0, -0.2, 0.25}, {1, 0, 0.4, 2, 0.01},
                     "thompson, mixed widths");
}

TEST(Rule, ScoresAreWhatIsCompared) {
  Stream stream(2, Purpose::exploration), same(2, Purpose::exploration);
  Scratch scratch;
  Decision decision = prepared({0.5, 0.25}, {1, 2});
  make_ucb(0.5)->choose(stream, scratch, decision);
  EXPECT_EQ(decision.score, (Numbers{1, 1.25}));
  EXPECT_EQ(decision.arm, 1u);
  make_greedy()->choose(stream, scratch, decision);
  EXPECT_EQ(decision.score, decision.mean);
  EXPECT_EQ(stream.state(), same.state()) << "nothing to draw without ties";
  make_thompson(0.5)->choose(stream, scratch, decision);
  EXPECT_EQ(decision.score[0], 0.5 + 0.5 * same.normal());
  EXPECT_EQ(decision.score[1], 0.25 + 1.0 * same.normal());
  EXPECT_EQ(decision.arm, decision.score[0] > decision.score[1] ? 0u : 1u);
}

TEST(Rule, OnlyThoseThatUseWidthsAskForThem) {
  EXPECT_FALSE(make_greedy()->needs_width());
  EXPECT_FALSE(make_epsilon_greedy(0.1)->needs_width());
  EXPECT_TRUE(make_ucb(1)->needs_width());
  EXPECT_TRUE(make_thompson(1)->needs_width());
}

// Around mean + optimism nu width, everything is as it is for a belief whose means lie there.
TEST(Rule, OptimisticThompsonIsThompsonSamplingAroundAnUpperBound) {
  const Numbers mean = {0.2, -0.1, 0.4}, width = {0.3, 1.1, 0.2};
  Numbers bound = mean;
  for (std::size_t k = 0; k < mean.size(); ++k) bound[k] += 2 * (0.5 * width[k]);
  Decision optimistic = prepared(mean, width), shifted = prepared(bound, width);
  Stream one(1, Purpose::exploration), other(1, Purpose::exploration);
  Scratch scratch;
  for (int i = 0; i < 20; ++i) {
    make_optimistic_thompson(0.5, 2)->choose(one, scratch, optimistic);
    make_thompson(0.5)->choose(other, scratch, shifted);
    EXPECT_EQ(optimistic.arm, shifted.arm);
    EXPECT_EQ(optimistic.probabilities, shifted.probabilities);
    EXPECT_EQ(optimistic.mean, mean);
  }
}

}  // namespace
}  // namespace neuralts
