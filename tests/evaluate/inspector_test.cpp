#include "evaluate/inspector.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "evaluate/known_worlds.hpp"

namespace neuralts::evaluation {
namespace {

// Four actions with probabilities h; `factor` spoils the logged probability of action 0.
Diagnostics inspect(std::size_t n, std::uint64_t seed, double factor) {
  Stream stream(seed, Purpose::environment);
  Inspector inspector;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> h{0.1 + 0.2 * stream.uniform(), 0.2, 0.3, 0};
    h[3] = 1 - h[0] - h[1] - h[2];
    std::size_t arm = 0;
    for (double left = stream.uniform(); arm < 3 && left >= h[arm]; ++arm) left -= h[arm];
    h[3] += h[0] * (1 - factor);
    h[0] *= factor;
    const double most = 0.25 / std::min({h[0], h[1], h[3]});
    inspector.add(0.25 / h[arm], 0, most);
    inspector.add_logged(h, arm);
  }
  return inspector.result();
}

TEST(Inspector, CountsAreTheFormulas) {
  Inspector inspector;
  for (const double w : {0., 1., 3., 0.5}) inspector.add(w, w == 3 ? 0.25 : 0, 10);
  inspector.add_open();
  const Diagnostics found = inspector.result();
  EXPECT_EQ(found.n, 4u);
  EXPECT_EQ(found.open, 1u);
  EXPECT_DOUBLE_EQ(found.ess, 4.5 * 4.5 / 10.25);
  EXPECT_EQ(found.max_weight, 3);
  EXPECT_DOUBLE_EQ(found.mean_weight, 1.125);
  EXPECT_DOUBLE_EQ(found.unsupported, 0.0625);
  EXPECT_DOUBLE_EQ(found.unsupported_events, 0.25);
  double share = 0;
  std::size_t events = 0;
  for (const auto& bin : found.weights) share += bin.share, events += bin.events;
  EXPECT_NEAR(share, 1, 1e-15);
  EXPECT_EQ(events, 4u);
  EXPECT_EQ(found.weights.front().events, 1u);  // the zero
}

// p below 0.001 happens to an honest log with probability 0.001 at most: among 100 logs more than 2 such have
// probability below 2e-4.
TEST(Inspector, HonestLogsAreRarelyDoubted) {
  std::size_t doubted = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Diagnostics found = inspect(2000, seed, 1);
    doubted += found.mean_weight_p < 0.001 || found.calibration_p < 0.001 ? 1 : 0;
  }
  EXPECT_LE(doubted, 2u);
}

double calibration_p(const std::vector<double>& h, std::size_t n, std::uint64_t seed, const std::vector<double>& really) {
  Stream stream(seed, Purpose::environment);
  Inspector inspector;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t arm = 0;
    for (double left = stream.uniform(); arm + 1 < really.size() && left >= really[arm]; ++arm) left -= really[arm];
    inspector.add_logged(h, arm);
  }
  return inspector.result().calibration_p;
}

// Of two actions one tells all of the other: counted twice, one honest log in a hundred would be doubted. p below 0.05
// happens to 50 of 1000 honest logs; 3.1 standard deviations of 6.9 more are 71.
TEST(Inspector, TwoActionsAreOneQuestion) {
  std::size_t doubted = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) doubted += calibration_p({0.9, 0.1}, 400, seed, {0.9, 0.1}) < 0.05;
  EXPECT_LE(doubted, 71u);
  EXPECT_GE(doubted, 29u);
}

// All of an event's actions lie in one bin there, of which one is played for certain.
TEST(Inspector, EvenProbabilitiesAreCheckedToo) {
  EXPECT_LT(calibration_p({1. / 3, 1. / 3, 1. / 3}, 400, 1, {1, 0, 0}), 1e-6);
  EXPECT_LT(calibration_p({1. / 3, 1. / 3, 1. / 3}, 400, 1, {0.5, 0.25, 0.25}), 1e-3);
  EXPECT_GT(calibration_p({1. / 3, 1. / 3, 1. / 3}, 400, 1, {1. / 3, 1. / 3, 1. / 3}), 1e-3);
}

TEST(Inspector, HonestHeavyWeightsAreNotDoubtedEither) {
  std::size_t doubted = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Inspector inspector;
    for (const Judged& event : heavy_log(2000, seed).events) inspector.add(event.weight, 0, 1000);
    doubted += inspector.result().mean_weight_p < 0.001 ? 1 : 0;
  }
  EXPECT_LE(doubted, 2u);
}

TEST(Inspector, WrongProbabilitiesAreNoticedInWords) {
  for (const double factor : {0.5, 1.6}) {
    const Diagnostics found = inspect(20000, 1, factor);
    EXPECT_LT(found.mean_weight_p, 0.001) << factor;
    EXPECT_LT(found.calibration_p, 0.001) << factor;
    EXPECT_THAT(doubts(found), testing::Contains(testing::HasSubstr("logged probabilities are not those")));
  }
}

TEST(Inspector, DoubtsSaySoInWords) {
  using testing::Contains;
  using testing::HasSubstr;
  EXPECT_THAT(doubts({}), Contains(HasSubstr("nothing to judge by")));
  EXPECT_THAT(doubts({.n = 10000, .ess = 12, .mean_weight = 1}), Contains(HasSubstr("equivalent of 12 events")));
  EXPECT_THAT(doubts({.n = 1000, .ess = 500, .max_weight = 200, .mean_weight = 1}),
              Contains(HasSubstr("single event")));
  EXPECT_THAT(doubts({.n = 1000, .ess = 500, .mean_weight = 0.7, .unsupported = 0.3}),
              Contains(HasSubstr("never plays")));
  EXPECT_THAT(doubts({.n = 900, .open = 100, .ess = 800, .mean_weight = 1}),
              Contains(HasSubstr("100 of 1000 rewards are still open")));
  EXPECT_THAT(doubts({.n = 900, .ess = 800, .max_weight = 3, .mean_weight = 1}), testing::IsEmpty());
}

}  // namespace
}  // namespace neuralts::evaluation
