// Settings of a policy compared on one log.
#include <gmock/gmock.h>

#include "evaluate/memory_events.hpp"
#include "neuralts/evaluate.hpp"

namespace neuralts {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(Tune, TheBestSettingLeadsWithAnIntervalForAllLooks) {
  auto events = SmallWorld::events(4000, 16);
  const Tuning found = tune(events, "linear-ts:nu=3", {{"nu", {"0.1", "3"}}}, {.estimators = {"dr"}});
  ASSERT_EQ(found.settings.size(), 3u);
  EXPECT_TRUE(found.settings[0].current);
  EXPECT_EQ(found.best, 1u);
  EXPECT_GT(found.settings[1].lead_low, 0);
  EXPECT_NEAR(found.settings[1].lead, found.settings[1].value.value - found.settings[0].value.value, 1e-12);
  EXPECT_EQ(found.settings[2].lead, 0);  // the current setting again
  EXPECT_EQ(found.settings[2].lead_high, 0);
  EXPECT_THROW(tune(events, "linear-ts", {{"nu", {}}}), Error);
  EXPECT_THROW(tune(events, "linear-ts", {{"nu", {"1"}}}, {.estimators = {"replay"}}), Error);
  EXPECT_THROW(tune(events, "linear-ts", {{"nu", {"1"}}}, {.estimators = {"snips", "dr"}}), Error);
  EXPECT_THROW(tune(events, "uniform", {{"nu", {"1"}}}, {.estimators = {"dr"}}), Error);
}

// A model that expects nothing leaves the estimators without one: so do the intervals of leads.
TEST(Tune, WithoutExpectationsAModelMakesNoDifference) {
  auto events = SmallWorld::events(1000, 16, false);
  const auto lead = [&](const char* estimator) {
    return tune(events, "linear-ts:nu=3", {{"nu", {"0.1"}}}, {.estimators = {estimator}, .model = "random"}).settings[1];
  };
  for (const auto& [with, without] : {std::pair{"dr", "ips"}, std::pair{"sndr", "snips"}}) {
    EXPECT_NEAR(lead(with).lead, lead(without).lead, 1e-12);
    EXPECT_NEAR(lead(with).lead_low, lead(without).lead_low, 1e-12) << with;
  }
}

TEST(Tune, ASettingGivenTwiceIsLookedAtOnce) {
  auto events = SmallWorld::events(300, 16);
  const EvaluationOptions options{.estimators = {"snips"}};
  const Tuning once = tune(events, "linear-ts", {{"nu", {"0.1", "1"}}}, options);
  const Tuning twice = tune(events, "linear-ts", {{"nu", {"0.1", "1", "0.10", "1.0"}}}, options);
  const Tuning over = tune(events, "linear-ts", {{"nu", {"3", "5"}}, {"nu", {"0.1", "1"}}}, options);
  ASSERT_EQ(once.settings.size(), 3u);
  for (const auto* again : {&twice, &over}) {
    ASSERT_EQ(again->settings.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(again->settings[i].lead_low, once.settings[i].lead_low);
      EXPECT_EQ(again->settings[i].lead_high, once.settings[i].lead_high);
    }
  }
  EXPECT_THROW(tune(events, "linear-ts", {}, options), Error);
}

TEST(Tune, OneEventLeavesEveryLeadOpen) {
  auto events = SmallWorld::events(1, 16);
  for (const char* estimator : {"ips", "snips", "dr", "sndr"}) {
    const auto found = tune(events, "linear-ts:nu=3", {{"nu", {"0.1"}}}, {.estimators = {estimator}}).settings[1];
    EXPECT_EQ(found.lead_low, -1) << estimator;
    EXPECT_EQ(found.lead_high, 1) << estimator;
  }
}

TEST(Tune, DoubtsComeWithTheSettings) {
  auto events = SmallWorld::events(2000, 10);
  for (auto& event : events.all) {
    event.probabilities[2] += event.probabilities[1];
    event.probabilities[1] = 0;
    if (event.arm == 1) event.arm = 2;
  }
  const Tuning found = tune(events, "linear-ts", {{"nu", {"3"}}}, {.estimators = {"dr"}});
  for (const auto& setting : found.settings) EXPECT_THAT(setting.doubts, Contains(HasSubstr("never plays")));
  EXPECT_LT(found.settings[1].lead_low, -0.05);
}

}  // namespace
}  // namespace neuralts
