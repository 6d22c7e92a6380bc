// Logs with events that are unlike the others or cannot be computed with, and logs of one event or two.
#include "neuralts/evaluate.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "base/temp_folder.hpp"
#include "evaluate/memory_events.hpp"
#include "neuralts/session.hpp"

namespace neuralts {
namespace {

using testing::Contains;
using testing::HasSubstr;

// Their squares would not be numbers any more.
TEST(Evaluate, WhatCannotBeComputedWithIsRefusedOrLeftOut) {
  auto events = SmallWorld::events(100, 17);
  events.all[3].reward = 1e308;
  events.all[5].probabilities = {0, 0, 0};
  events.all[5].probabilities[events.all[5].arm] = 1e-300;
  events.all[5].probabilities[(events.all[5].arm + 1) % 3] = 1;
  EXPECT_THROW(evaluate(events, {}), Error);
  const Evaluation found = evaluate(events, {.estimators = all_estimators, .skip_bad = true});
  EXPECT_EQ(found.events, 98u);
  EXPECT_THAT(found.notes, Contains(HasSubstr("2 events were left out: rewards above 1e15")));
  for (const auto& estimate : found.policies[0].estimates)
    EXPECT_TRUE(std::isfinite(estimate.value) && std::isfinite(estimate.ess)) << estimate.estimator;
}

// Decisions between objects: the context's age is a number, and the 281st, behind the events a schema is learned from, is
// the text "forty".
MemoryEvents events_with_a_late_text() {
  auto events = SmallWorld::events(300, 20);
  for (std::size_t i = 0; i < 300; ++i) {
    Event& event = events.all[i];
    event.offer.clear();
    event.offer.objects.start_row();
    event.offer.objects.add(i == 280 ? Field::of("age", "forty") : Field::of("age", static_cast<double>(i % 50)));
    for (const auto& action : event.actions) {
      event.offer.objects.start_row();
      event.offer.objects.add(Field::of("id", action));
    }
  }
  return events;
}

TEST(Evaluate, ATextWhereANumberWasIsNamedWithItsPlaceOrLeftOut) {
  auto events = events_with_a_late_text();
  const auto refusal = [&] {
    try {
      evaluate(events, {});
    } catch (const Error& refused) {
      return std::string(refused.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("event 281: "), HasSubstr("'age'"), HasSubstr("'forty'")));
  const Evaluation found = evaluate(events, {.skip_bad = true});
  EXPECT_EQ(found.events, 299u);
  EXPECT_THAT(found.notes, Contains(HasSubstr("1 events were left out: their features")));
  events.all.erase(events.all.begin() + 280);
  EXPECT_EQ(found.policies[0].estimates[0].value, evaluate(events, {}).policies[0].estimates[0].value);
}

TEST(Evaluate, ContextsOfAnotherLengthAreNamedOrLeftOut) {
  auto events = SmallWorld::events(100, 20);
  events.all[7].offer.numbers.push_back(1), events.all[7].offer.length = 4;
  EXPECT_THROW(evaluate(events, {}), Error);
  EXPECT_EQ(evaluate(events, {.skip_bad = true}).events, 99u);
}

TEST(Evaluate, WhatASavedSessionRefusesIsNamedWithItsPlace) {
  const TempFolder folder;
  auto events = events_with_a_late_text();
  SessionSpec spec;
  spec.policy.name = "linear-ts";
  Session session(spec);
  for (std::size_t i = 0; i < 270; ++i) session.select(events.all[i].offer.objects, 1000);
  session.save(folder.file("session.nts"));
  std::rotate(events.all.begin(), events.all.begin() + 280, events.all.end());  // the schema of the log takes ages for words
  try {
    evaluate(events, {.policies = {"file:" + folder.file("session.nts")}});
    ADD_FAILURE();
  } catch (const Error& refused) {
    EXPECT_THAT(refused.what(), testing::AllOf(HasSubstr("event 1: "), HasSubstr("saved session")));
  }
}

TEST(Evaluate, FewEventsAreSaidAsThat) {
  auto events = SmallWorld::events(3, 18);
  for (auto& event : events.all) event.probabilities.assign(3, 1 / 3.0);
  const Evaluation found = evaluate(events, {.estimators = {"ips", "replay"}});
  EXPECT_THAT(found.policies[0].doubts, Contains(HasSubstr("no more than 3 events")));
  events.all.resize(1);
  events.all[0].arm = 0, events.all[0].probabilities = {0.9, 0.05, 0.05};
  EXPECT_THAT(evaluate(events, {.policies = {"constant:1"}, .estimators = {"replay"}}).policies[0].doubts,
              Contains(HasSubstr("replay has kept no event")));
}

// VW text: a log that always plays the same looks supported, if weights were not 1/3 on average where they must be 1.
TEST(Evaluate, WithoutAllProbabilitiesTheMeanWeightTellsWhatIsNotPlayed) {
  auto always_red = SmallWorld::events(400, 18), honest = always_red;
  for (auto& event : honest.all) event.probabilities = {event.probabilities[event.arm]};
  for (auto& event : always_red.all) event.arm = 0, event.probabilities = {1};
  const auto doubts = [](MemoryEvents& events) { return evaluate(events, {.estimators = {"snips"}}).policies[0].doubts; };
  EXPECT_THAT(doubts(always_red), Contains(HasSubstr("the mean weight is 0.3333 where 1 was to be expected")));
  EXPECT_THAT(doubts(always_red), Contains(HasSubstr("plays what the log hardly ever or never does")));
  EXPECT_THAT(doubts(honest), testing::IsEmpty());
}

// Costs are rewards below 0: 0 would be better than anything that was ever earned.
TEST(Evaluate, APolicyThatWasNeverFollowedIsNotPraised) {
  auto events = SmallWorld::events(200, 18);
  for (auto& event : events.all) event.arm = 0, event.probabilities = {0.99, 0.005, 0.005}, *event.reward -= 5;
  const auto found = evaluate(events, {.policies = {"constant:blue"}, .estimators = {"snips", "replay"}}).policies[0];
  for (const auto& estimate : found.estimates) {
    EXPECT_EQ(estimate.value, -4.5) << estimate.estimator;
    EXPECT_GE(estimate.low, -5) << estimate.estimator;
    EXPECT_LE(estimate.high, -4) << estimate.estimator;
  }
  EXPECT_EQ(found.course.back().value, -4.5);
  EXPECT_THAT(found.doubts, Contains(HasSubstr("equivalent of 0 events")));
}

// What n equal rewards leave open is what n successes in n trials do: with one event Markov's bound, with none all.
TEST(Evaluate, ReplayOfFewEventsLeavesOpenWhatItDoesNotKnow) {
  auto events = SmallWorld::events(40, 18);
  for (auto& event : events.all) event.arm = 0, event.probabilities = {1, 0, 0}, event.reward = 3;
  const auto judge = [&](std::size_t n) {
    auto first = events;
    first.all.resize(n);
    return evaluate(first, {.policies = {"constant:red", "constant:blue"}, .estimators = {"replay"},
                            .lowest_reward = 2, .highest_reward = 6});
  };
  for (const std::size_t n : {1, 2, 40}) {
    const auto found = judge(n);
    const ValueEstimate& kept = found.policies[0].estimates[0];
    const double others = 1 - std::pow(0.025, 1.0 / static_cast<double>(n));
    EXPECT_EQ(kept.n, n);
    EXPECT_EQ(kept.value, 3);
    EXPECT_NEAR(kept.low, 3 - others, 1e-12);
    EXPECT_NEAR(kept.high, 3 + 3 * others, 1e-12);
    EXPECT_EQ(testing::Matches(Contains(HasSubstr("replay has kept one event")))(found.policies[0].doubts), n == 1);
    const ValueEstimate& none = found.policies[1].estimates[0];
    EXPECT_EQ(none.n, 0u);
    EXPECT_EQ(none.value, 4);
    EXPECT_EQ(none.low, 2);
    EXPECT_EQ(none.high, 6);
    EXPECT_THAT(found.policies[1].doubts, Contains(HasSubstr("replay has kept no event")));
  }
}

TEST(Evaluate, OneRewardShowsNoRange) {
  auto events = SmallWorld::events(20, 18);
  for (auto& event : events.all) event.reward = 7;
  const auto found = evaluate(events, {.estimators = {"ips"}});
  EXPECT_THAT(found.notes, Contains(HasSubstr("between 7 and 8, where the log shows one reward only")));
  EXPECT_EQ(found.highest_reward, 8);
}

// 300 decisions without a click: the next one may come. Student's and the bootstrap see no spread at all.
TEST(Evaluate, EqualRewardsAreNoCertainty) {
  auto events = SmallWorld::events(300, 18);
  for (auto& event : events.all) event.reward = 0;
  auto kept = events;
  for (std::size_t i = 0; i < 300; i += 3) kept.all[i].kept = 0.5;
  for (const char* interval : {"student", "bootstrap"})
    for (auto* log : {&events, &kept}) {
      const auto found = evaluate(*log, {.policies = {"constant:red", "linear-ts"}, .estimators = {"ips", "snips", "dr", "sndr"},
                                         .interval = interval});
      for (const auto& policy : found.policies) {
        for (const auto& e : policy.estimates) {
          EXPECT_GT(e.high, 0.01) << interval << " " << policy.policy << " " << e.estimator;
          EXPECT_LT(e.high, 0.2) << interval << " " << policy.policy << " " << e.estimator;
        }
        for (const auto& at : policy.course) EXPECT_GT(at.high, 0.01) << policy.policy;
      }
    }
}

TEST(Evaluate, RewardsThatFillLittleOfTheirRangeAreSaid) {
  auto events = SmallWorld::events(200, 18);
  for (auto& event : events.all) *event.reward *= 0.002;
  const auto notes = [&](double highest) { return evaluate(events, {.estimators = {"ips"}, .highest_reward = highest}).notes; };
  EXPECT_THAT(notes(0), Contains(HasSubstr("between 0 and 1, the log shows them between 0 and 0.002")));
  EXPECT_THAT(notes(0.002), testing::IsEmpty());
}

TEST(Evaluate, OneEventLeavesTheWholeRangeOpen) {
  auto events = SmallWorld::events(1, 18);
  events.all[0].reward = 1;
  for (const char* interval : {"student", "bootstrap"})
    for (const auto& policy : evaluate(events, {.policies = {"uniform", "linear-ts"}, .estimators = {"ips", "snips", "dr", "sndr"},
                                                .interval = interval}).policies) {
      for (const auto& e : policy.estimates) {
        EXPECT_LE(e.low, 0) << policy.policy << " " << e.estimator;
        EXPECT_GE(e.high, 1) << policy.policy << " " << e.estimator;
        EXPECT_TRUE(std::isfinite(e.high - e.low)) << policy.policy << " " << e.estimator;
      }
      for (const auto& at : policy.course) EXPECT_TRUE(std::isfinite(at.high - at.low)) << policy.policy;
    }
}

}  // namespace
}  // namespace neuralts
