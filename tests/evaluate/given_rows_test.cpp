// Probabilities and predictions from outside.
#include "neuralts/evaluate.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "evaluate/memory_events.hpp"

namespace neuralts {
namespace {

using testing::HasSubstr;

TEST(Evaluate, GivenProbabilitiesSumToOneInEveryEvent) {
  auto events = SmallWorld::events(20, 19);
  std::vector<double> rows(60, 1 / 3.0);
  const auto judge = [&] {
    return evaluate(events, {.policies = {}, .estimators = {"ips"}}, {.actions = 3, .policies = {{"mine", rows}}});
  };
  EXPECT_NO_THROW(judge());
  const std::vector<std::vector<double>> cases = {{0.5, 0.5, 0.5}, {-0.5, 1.0, 0.5}, {NAN, 0.5, 0.5}};
  for (const auto& wrong : cases) {
    std::copy(wrong.begin(), wrong.end(), rows.begin() + 21);
    try {
      judge();
      ADD_FAILURE() << wrong[0];
    } catch (const ContractError& refused) {
      EXPECT_THAT(refused.what(), HasSubstr("mine, event 7"));
    }
  }
}

TEST(Evaluate, GivenRowsFitTheEvents) {
  auto events = SmallWorld::events(20, 19);
  const std::vector<double> even(60, 1 / 3.0), few(57, 0.5), pairs(40, 0.5);
  const auto refusal = [&](const GivenRows& given) -> std::string {
    try {
      evaluate(events, {.policies = {"uniform"}, .estimators = {"ips", "dr"}}, given);
    } catch (const ContractError& refused) {
      return refused.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({.actions = 3, .predictions = even}), "");
  EXPECT_THAT(refusal({.actions = 3, .predictions = few}), HasSubstr("57 predictions for 20 events with a reward and 3 actions"));
  EXPECT_THAT(refusal({.actions = 3, .policies = {{"mine", few}}}), HasSubstr("mine has 57 probabilities for 20 events"));
  EXPECT_THAT(refusal({.actions = 2, .predictions = pairs}), HasSubstr("have 2 actions, the events have 3"));
  EXPECT_THAT(refusal({.actions = 2, .policies = {{"mine", pairs}}}), HasSubstr("have 2 actions, the events have 3"));
}

TEST(Evaluate, GivenPredictionsAreNumbersToComputeWith) {
  auto events = SmallWorld::events(20, 19);
  for (const double wrong : {double(NAN), double(INFINITY), -1e16}) {
    std::vector<double> rows(60, 0.5);
    rows[22] = wrong;
    try {
      evaluate(events, {.policies = {"uniform"}, .estimators = {"dr"}}, {.actions = 3, .predictions = rows});
      ADD_FAILURE() << wrong;
    } catch (const ContractError& refused) {
      EXPECT_THAT(refused.what(), HasSubstr("action 1 of event 7"));
    }
  }
}

TEST(Evaluate, GivenProbabilitiesAndPredictionsAreTheFormula) {
  auto events = SmallWorld::events(500, 15);
  std::vector<double> pi, q;
  Stream stream(1, Purpose::environment);
  double ips = 0, dr = 0;
  for (const auto& event : events.all) {
    std::vector<double> mine{stream.uniform(), stream.uniform(), stream.uniform()}, predicted = mine;
    const double sum = mine[0] + mine[1] + mine[2];
    double expected = 0;
    for (std::size_t b = 0; b < 3; ++b)
      predicted[b] = 3 * stream.normal(), mine[b] /= sum, expected += mine[b] * predicted[b];
    const double w = mine[event.arm] / event.probabilities[event.arm];
    ips += w * *event.reward / 500;
    dr += (expected + w * (*event.reward - predicted[event.arm])) / 500;
    pi.insert(pi.end(), mine.begin(), mine.end());
    q.insert(q.end(), predicted.begin(), predicted.end());
  }
  const Evaluation found = evaluate(events, {.policies = {}, .estimators = {"ips", "dr"}}, {3, q, {{"mine", pi}}});
  EXPECT_NEAR(found.policies[0].estimates[0].value, ips, 1e-12);
  EXPECT_NEAR(found.policies[0].estimates[1].value, dr, 1e-12);
}

// A regression does not keep to what rewards can be. 200 logs of 200 events; 19 misses of 95 % intervals are allowed
// (coverage_test.cpp).
TEST(Evaluate, PredictionsBeyondTheRewardsMakeNoIntervalTooNarrow) {
  const double blue = (SmallWorld::chance(0, 2) + SmallWorld::chance(1, 2)) / 2;
  std::vector<double> pi, q;
  for (std::size_t i = 0; i < 200; ++i)
    for (const double p : {0., 0., 1.}) pi.push_back(p), q.push_back(p - 1.5);
  for (const char* interval : {"likelihood", "cressie-read"}) {
    std::size_t missed = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      auto events = SmallWorld::events(200, seed);
      const auto found = evaluate(events, {.policies = {}, .estimators = {"dr"}, .interval = interval, .points = 0},
                                  {3, q, {{"blue", pi}}}).policies[0].estimates[0];
      missed += blue < found.low || blue > found.high;
    }
    EXPECT_LE(missed, 19u) << interval;
  }
}

}  // namespace
}  // namespace neuralts
