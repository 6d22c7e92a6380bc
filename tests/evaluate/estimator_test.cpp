// Each estimator against its formula, restated in the plainest way over arrays.
#include "evaluate/estimator.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "neuralts/random.hpp"

namespace neuralts::evaluation {
namespace {

std::vector<Judged> some_events(std::size_t n, std::uint64_t seed = 1) {
  Stream stream(seed, Purpose::environment);
  std::vector<Judged> events(n);
  for (Judged& event : events) {
    event.weight = stream.uniform() < 0.3 ? 0 : std::exp(2 * stream.normal());
    event.reward = 3 + stream.normal();
    event.predicted = event.reward + 0.5 * stream.normal();
    event.expected = 3 + 0.3 * stream.normal();
  }
  return events;
}

MeanEstimator estimate(const std::string& name, const std::vector<Judged>& events, double constant = HUGE_VAL) {
  MeanEstimator estimator(*find_form(name), constant);
  for (const Judged& event : events) estimator.add(event);
  return estimator;
}

template <class Term>
double mean(const std::vector<Judged>& events, const Term& term) {
  double sum = 0;
  for (const Judged& event : events) sum += term(event);
  return sum / static_cast<double>(events.size());
}

TEST(Estimator, EveryValueIsItsFormula) {
  const auto events = some_events(5000);
  const double c = 4;
  const auto near = [](double found, double wanted) { EXPECT_NEAR(found, wanted, 1e-12 * std::abs(wanted)); };
  const double mean_w = mean(events, [](const Judged& e) { return e.weight; });
  const auto residual = [](const Judged& e) { return e.weight * (e.reward - e.predicted); };
  const double expected = mean(events, [](const Judged& e) { return e.expected; });
  near(estimate("ips", events).value(), mean(events, [](const Judged& e) { return e.weight * e.reward; }));
  near(estimate("clipped", events, c).value(),
       mean(events, [&](const Judged& e) { return std::min(e.weight, c) * e.reward; }));
  near(estimate("snips", events).value(),
       mean(events, [](const Judged& e) { return e.weight * e.reward; }) / mean_w);
  near(estimate("dm", events).value(), expected);
  near(estimate("dr", events).value(), expected + mean(events, residual));
  near(estimate("sndr", events).value(), expected + mean(events, residual) / mean_w);
  near(estimate("switch", events, c).value(),
       expected + mean(events, [&](const Judged& e) { return e.weight <= c ? residual(e) : 0; }));
  near(estimate("dr-shrinkage", events, c).value(),
       expected + mean(events, [&](const Judged& e) { return c / (e.weight * e.weight + c) * residual(e); }));
}

TEST(Estimator, TheErrorIsThatOfTheTerms) {
  const auto events = some_events(3000);
  const double n = static_cast<double>(events.size());
  const auto error_of = [&](const auto& term) {
    const double m = mean(events, term);
    return std::sqrt(mean(events, [&](const Judged& e) { return std::pow(term(e) - m, 2); }) / (n - 1));
  };
  const auto dr = [](const Judged& e) { return e.expected + e.weight * (e.reward - e.predicted); };
  EXPECT_NEAR(estimate("dr", events).error(), error_of(dr), 1e-12);
  const double snips = estimate("snips", events).value(),
               mean_w = mean(events, [](const Judged&e) { return e.weight; });
  const auto linear = [&](const Judged& e) { return e.weight * (e.reward - snips) / mean_w; };
  EXPECT_NEAR(estimate("snips", events).error(), error_of(linear), 1e-12);
}

TEST(Estimator, NormalisingTakesAwayAConstantOfTheRewards) {
  auto events = some_events(2000);
  const double before = estimate("snips", events).value();
  for (Judged& event : events) event.reward += 10;
  EXPECT_NEAR(estimate("snips", events).value(), before + 10, 1e-10);
}

TEST(Estimator, AnInfiniteConstantHoldsNothingDown) {
  const auto events = some_events(500);
  EXPECT_EQ(estimate("clipped", events).value(), estimate("ips", events).value());
  EXPECT_EQ(estimate("switch", events).value(), estimate("dr", events).value());
  EXPECT_EQ(estimate("dr-shrinkage", events).value(), estimate("dr", events).value());
  EXPECT_EQ(estimate("clipped", events).bias(), 0);
}

TEST(Estimator, TheConstantIsTheOneOfTheLeastEstimatedError) {
  const auto events = some_events(4000);
  for (const char* name : {"clipped", "switch", "dr-shrinkage"}) {
    TunedEstimator tuned(*find_form(name));
    for (const Judged& event : events) tuned.add(event);
    for (double c = 1; c < 1e6; c *= name == std::string("dr-shrinkage") ? 4 : 2)
      EXPECT_LE(tuned.best().squared_error(), estimate(name, events, c).squared_error()) << name << " at " << c;
  }
}

TEST(Estimator, AnEstimateOfOneEventHasNoSpread) {
  const auto events = some_events(1);
  EXPECT_EQ(estimate("ips", events).error(), 0);
  EXPECT_EQ(estimate("ips", {}).value(), 0);
}

}  // namespace
}  // namespace neuralts::evaluation
