// Policies judged end to end, on a world whose values are known.
#include "neuralts/evaluate.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "base/temp_folder.hpp"
#include "evaluate/memory_events.hpp"
#include "neuralts/agent.hpp"
#include "neuralts/session.hpp"

namespace neuralts {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr double uniform_value = (0.2 + 0.5 + 0.7 + 0.8 + 0.3 + 0.4) / 6;
constexpr double green_value = (0.5 + 0.3) / 2;

const std::vector<std::string> all_estimators = {"ips",        "clipped",      "snips",  "dm",
                                                 "dr",         "sndr",         "switch", "dr-shrinkage",
                                                 "likelihood", "cressie-read", "replay"};

// 20,000 events, weights of at most 4: the standard error of every estimator is below 0.01; 4 of them are 0.04.
TEST(Evaluate, EveryEstimatorFindsTheValueOfFixedPolicies) {
  auto events = SmallWorld::events(20000, 1);
  const Evaluation found = evaluate(
      events, {.policies = {"uniform", "constant:green"}, .estimators = all_estimators});
  ASSERT_EQ(found.policies.size(), 2u);
  for (const auto& estimate : found.policies[0].estimates)
    EXPECT_NEAR(estimate.value, uniform_value, 0.04) << estimate.estimator;
  for (const auto& estimate : found.policies[1].estimates)
    EXPECT_NEAR(estimate.value, green_value, 0.04) << estimate.estimator;
  for (const auto& policy : found.policies)
    for (const auto& estimate : policy.estimates) {
      EXPECT_LE(estimate.low, estimate.value) << estimate.estimator;
      EXPECT_GE(estimate.high, estimate.value) << estimate.estimator;
      EXPECT_LT(estimate.high - estimate.low, 0.2) << estimate.estimator;
    }
  EXPECT_THAT(found.policies[0].doubts, testing::IsEmpty());
}

TEST(Evaluate, EveryIntervalHoldsTheValue) {
  auto events = SmallWorld::events(5000, 3);
  for (const char* interval :
       {"student", "bootstrap", "clopper-pearson", "likelihood", "cressie-read", "bernstein", "betting"}) {
    const Evaluation found = evaluate(
        events,
        {.policies = {"constant:1"}, .estimators = {"ips", "dr"}, .interval = interval, .confidence = 0.999});
    for (const auto& estimate : found.policies[0].estimates) {
      EXPECT_EQ(estimate.interval, interval);
      EXPECT_LT(estimate.low, green_value) << interval << " " << estimate.estimator;
      EXPECT_GT(estimate.high, green_value) << interval << " " << estimate.estimator;
    }
  }
}

// 200 logs of 300 events; 19 misses of 95 % intervals are allowed (coverage_test.cpp). What an estimator saves by holding
// weights down it pays in a bias that the log does not tell: its interval is that of the value.
TEST(Evaluate, HoldingWeightsDownMakesNoIntervalTooNarrow) {
  for (const char* interval : {"auto", "student"}) {
    std::map<std::string, std::size_t> misses;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      auto events = SmallWorld::events(300, 1000 + seed);
      const auto found = evaluate(events, {.policies = {"constant:green"},
                                           .estimators = {"clipped", "switch", "dr-shrinkage"},
                                           .interval = interval, .points = 0});
      for (const auto& e : found.policies[0].estimates)
        misses[e.estimator] += !(e.low <= green_value && green_value <= e.high);
    }
    for (const auto& [estimator, count] : misses) EXPECT_LE(count, 19u) << estimator << ", " << interval;
  }
}

TEST(Evaluate, TheLoggedPolicyEarnsTheMeanOfItsRewards) {
  auto events = SmallWorld::events(3000, 4);
  double mean = 0;
  for (const auto& event : events.all) mean += *event.reward / 3000;
  const Evaluation found = evaluate(events, {.policies = {"logged"}, .estimators = {"ips", "snips", "likelihood"}});
  for (const auto& estimate : found.policies[0].estimates) {
    EXPECT_EQ(estimate.max_weight, 1);
    EXPECT_DOUBLE_EQ(estimate.ess, 3000);
    EXPECT_NEAR(estimate.value, mean, 1e-12) << estimate.estimator;
  }
}

TEST(Evaluate, AModelNarrowsTheInterval) {
  auto events = SmallWorld::events(10000, 5);
  const Evaluation found = evaluate(
      events, {.policies = {"constant:blue"}, .estimators = {"ips", "dr"}, .interval = "student"});
  const auto& estimates = found.policies[0].estimates;
  EXPECT_LT(estimates[1].error, 0.8 * estimates[0].error);
}

// A policy that learns must come near the best, (0.7 + 0.8) / 2 = 0.75, and is scored before it learns.
TEST(Evaluate, APolicyThatLearnsIsScoredProgressively) {
  auto events = SmallWorld::events(6000, 6);
  const Evaluation found =
      evaluate(events, {.policies = {"linear-ts", "uniform"}, .estimators = {"dr", "replay"}, .confidence = 0.999});
  const auto& learner = found.policies[0].estimates;
  EXPECT_GT(learner[0].value, 0.68);
  EXPECT_LT(learner[0].low, 0.75);
  EXPECT_GT(learner[1].value, 0.6);  // replay keeps about one event in seven: the policy has learned less
  EXPECT_GT(learner[0].low, found.policies[1].estimates[0].high);
  EXPECT_EQ(
      learner[0].value,
      evaluate(events, {.policies = {"linear-ts"}, .estimators = {"dr"}}).policies[0].estimates[0].value);
}

// A bound that only tightens is about a value that stays: a learner's, which grows, would leave it.
TEST(Evaluate, APolicyThatLearnsHasNoConfidenceSequence) {
  auto events = SmallWorld::events(3000, 6);
  const Evaluation found = evaluate(
      events, {.policies = {"linear-ts", "uniform"}, .estimators = {"ips"}, .interval = "betting"});
  EXPECT_EQ(found.policies[0].estimates[0].interval, "student");
  EXPECT_EQ(found.policies[1].estimates[0].interval, "betting");
  EXPECT_THAT(found.notes, Contains(HasSubstr("has no one value")));
  for (const auto& at : found.policies[0].course) EXPECT_LE(at.value, at.high);
}

TEST(Evaluate, AFrozenFileIsJudgedAsItIs) {
  const TempFolder folder;
  Agent agent({.name = "linear-ts", .preset = {}, .params = {}, .shape = Shape{3, 3}, .seed = 1});
  auto lessons = SmallWorld::events(2000, 7);
  for (const auto& event : lessons.all) agent.learn(event.offer.contexts()[event.arm], *event.reward);
  agent.save(folder.file("agent.nts"));
  auto events = SmallWorld::events(4000, 8);
  const Evaluation found = evaluate(
      events, {.policies = {"file:" + folder.file("agent.nts")}, .estimators = {"snips"}});
  EXPECT_NEAR(found.policies[0].estimates[0].value, 0.75, 0.05);
  EXPECT_THROW(evaluate(events, {.policies = {"file:" + folder.file("none.nts")}}), Error);
}

TEST(Evaluate, OpenRewardsAreCountedAndSaid) {
  auto events = SmallWorld::events(1000, 9, true);
  const Evaluation found = evaluate(events, {.estimators = {"snips"}});
  EXPECT_EQ(found.events, 900u);
  EXPECT_EQ(found.open, 100u);
  EXPECT_EQ(found.policies[0].estimates[0].n, 900u);
  EXPECT_THAT(found.policies[0].doubts, Contains(HasSubstr("still open")));
}

TEST(Evaluate, ActionsTheLogNeverPlaysAreUnsupported) {
  auto events = SmallWorld::events(4000, 10);
  for (auto& event : events.all) {  // green is never played: its probability goes to blue, and so do its plays
    event.probabilities[2] += event.probabilities[1];
    event.probabilities[1] = 0;
    if (event.arm == 1) event.arm = 2;
  }
  const Evaluation found = evaluate(events,
                                    {.policies = {"uniform"}, .estimators = {"ips", "snips", "likelihood"}});
  EXPECT_NEAR(found.policies[0].diagnostics.unsupported, 1. / 3, 1e-12);
  EXPECT_EQ(found.policies[0].diagnostics.unsupported_events, 1);
  EXPECT_THAT(found.policies[0].doubts, Contains(HasSubstr("never plays")));
  EXPECT_GT(found.policies[0].diagnostics.mean_weight_p, 0.001);  // the mean weight is 2/3, as it must be
  const ValueEstimate& likelihood = found.policies[0].estimates[2];    // what green would earn may be anything
  EXPECT_GT(likelihood.high - likelihood.low, 0.3);
  for (const char* interval : {"auto", "student", "bootstrap"})  // a third of the choices, rewards from 0 to 1
    for (const auto& e : evaluate(events, {.policies = {"uniform", "constant:green"}, .estimators = {"ips", "snips", "dr", "sndr", "dm"},
                                           .interval = interval}).policies[0].estimates)
      EXPECT_GE(e.high - e.low, 1. / 3) << interval << " " << e.estimator;
  const auto never = evaluate(events, {.policies = {"constant:green"}, .estimators = {"ips", "dr"}});
  for (const auto& e : never.policies[0].estimates) EXPECT_GE(e.high - e.low, 0.999) << e.estimator;
}

TEST(Evaluate, TimesChooseEvents) {
  auto events = SmallWorld::events(1000, 11);
  EXPECT_EQ(evaluate(events, {.estimators = {"ips"}, .since = 1100, .until = 1350}).events, 250u);
  EXPECT_THROW(evaluate(events, {.estimators = {"ips"}, .since = 5000}), Error);
}

TEST(Evaluate, EventsWithoutATimeAreCountedWhereTimesChoose) {
  auto events = SmallWorld::events(1000, 11);
  for (std::size_t i = 0; i < 30; ++i) events.all[10 * i].time = 0;
  const auto found = evaluate(events, {.estimators = {"ips"}, .until = 5000});
  EXPECT_EQ(found.events, 970u);
  EXPECT_THAT(found.notes, Contains(HasSubstr("30 events were left out: they tell no time")));
  EXPECT_EQ(evaluate(events, {.estimators = {"ips"}}).events, 1000u);
  for (auto& event : events.all) event.time = 0;
  try {
    evaluate(events, {.since = 1});
    ADD_FAILURE();
  } catch (const Error& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("1000 events tell no time"));
  }
}

TEST(Evaluate, TheCourseEndsAtTheEstimate) {
  auto events = SmallWorld::events(1234, 12);
  const Evaluation found = evaluate(events, {.estimators = {"ips"}, .points = 20});
  const auto& course = found.policies[0].course;
  ASSERT_EQ(course.size(), 20u);
  EXPECT_EQ(course.back().events, 1234u);
  EXPECT_EQ(course.back().value, found.policies[0].estimates[0].value);
  EXPECT_EQ(course.back().time, 1000 + 1233);
}

// An event that stands for two counts twice.
TEST(Evaluate, EventsThatStandForOthersCountAsMany) {
  auto sampled = SmallWorld::events(600, 13), whole = sampled;
  for (std::size_t i = 0; i < 600; i += 2) sampled.all[i].kept = 0.5;
  for (std::size_t i = 0; i < 600; i += 2) {
    Event copy = whole.all[i];
    copy.id += "'";
    whole.all.push_back(copy);
  }
  const auto value = [](EventSource& events, const char* estimator) {
    return evaluate(events, {.policies = {"constant:red"}, .estimators = {estimator}})
        .policies[0]
        .estimates[0]
        .value;
  };
  EXPECT_NEAR(value(sampled, "ips"), value(whole, "ips"), 1e-12);
  EXPECT_NEAR(value(sampled, "snips"), value(whole, "snips"), 1e-12);
}

// Successes are all kept, failures one in ten: 100 logs, 12 misses of 95 % intervals allowed (3.1 standard deviations). The
// log is honest, and is not doubted for it.
TEST(Evaluate, WhatWasKeptMayDependOnTheReward) {
  std::map<std::string, std::size_t> misses;
  std::map<std::string, double> mean;
  std::size_t doubted = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    auto events = SmallWorld::events(1500, 2000 + seed, false);
    Stream coins(seed, Purpose::environment, 7);
    for (auto& event : events.all) event.kept = *event.reward == 1 ? 1 : 0.1;
    std::erase_if(events.all, [&](const Event& event) { return !(coins.uniform() < event.kept); });
    const auto found = evaluate(events, {.policies = {"constant:green"},
                                         .estimators = {"ips", "snips", "dr", "sndr", "dm", "likelihood", "replay"},
                                         .points = 0});
    for (const auto& e : found.policies[0].estimates) {
      misses[e.estimator] += !(e.low <= green_value && green_value <= e.high);
      mean[e.estimator] += e.value / 100;
    }
    const auto& diagnostics = found.policies[0].diagnostics;
    doubted += diagnostics.mean_weight_p < 0.001 || diagnostics.calibration_p < 0.001;
  }
  misses.erase("dm");      // which says so
  for (const auto& [estimator, count] : misses) EXPECT_LE(count, 12u) << estimator;
  for (const auto& [estimator, value] : mean) EXPECT_NEAR(value, green_value, 0.03) << estimator;
  EXPECT_LE(doubted, 2u);
}

// An even choice stands for an action that is not on offer: said where that is now and then, refused where it is
// always, since a mistyped name would have the uniform policy's value.
TEST(Evaluate, AnActionThatIsNotOnOfferIsSaid) {
  auto events = SmallWorld::events(100, 15);
  for (std::size_t i = 0; i < 25; ++i) events.all[i].actions[2] = "violet";
  const auto found = evaluate(events, {.policies = {"constant:violet"}, .estimators = {"ips"}});
  EXPECT_THAT(found.policies[0].doubts, Contains(HasSubstr("'violet' was not on offer in 75.0 % of the events")));
  for (const char* never : {"constant:viole", "constant:3", "constant:1.5", "constant:-1", "constant:1e300"}) {
    EXPECT_THROW(evaluate(events, {.policies = {never}}), Error) << never;
    EXPECT_THROW(policy_probabilities(events, never), Error) << never;
  }
}

// Where ids are numbers, 1 is the item of that name, not the second on offer.
TEST(Evaluate, NumbersAreIdsWhereIdsAreNumbers) {
  auto events = SmallWorld::events(100, 15), named = events;
  for (std::size_t i = 0; i < 100; ++i) {
    events.all[i].actions = {"7", i < 40 ? "1" : "8", "9"};
    named.all[i].actions = {"i7", i < 40 ? "i1" : "i8", "i9"};
  }
  const auto found = evaluate(events, {.policies = {"constant:1"}, .estimators = {"ips"}}).policies[0];
  EXPECT_EQ(found.estimates[0].value,
            evaluate(named, {.policies = {"constant:i1"}, .estimators = {"ips"}}).policies[0].estimates[0].value);
  EXPECT_THAT(found.doubts, Contains(HasSubstr("was not on offer in 60.0 %")));
}

// Bounds that hold for one value at all times refuse every value where there is none that stays.
TEST(Evaluate, AValueThatChangesIsNotTakenForOneThatStays) {
  auto events = SmallWorld::events(4000, 19, false);
  for (std::size_t i = 0; i < 4000; ++i) events.all[i].reward = i % 10 == 0 ? (i < 2000 ? 0 : 1) : (i < 2000 ? 1 : 0);
  for (const char* interval : {"bernstein", "betting"}) {
    const auto found = evaluate(events, {.policies = {"logged"}, .estimators = {"snips"}, .interval = interval}).policies[0];
    EXPECT_EQ(found.estimates[0].interval, "student") << interval;
    EXPECT_LT(found.estimates[0].low, 0.5);
    EXPECT_GT(found.estimates[0].high, 0.5);
    EXPECT_THAT(found.doubts, Contains(HasSubstr("contradict each other")));
  }
}

// Six of ten, then four: the bounds of the first half still meet, the mean has left them.
TEST(Evaluate, AMeanThatHasLeftItsBoundsIsSaidAndNotHidden) {
  auto events = SmallWorld::events(2000, 19);
  for (std::size_t i = 0; i < 2000; ++i) events.all[i].reward = i % 10 < (i < 1000 ? 6 : 4) ? 1 : 0;
  for (const char* interval : {"bernstein", "betting"}) {
    const auto found = evaluate(events, {.policies = {"logged"}, .estimators = {"ips"}, .interval = interval}).policies[0];
    const ValueEstimate& e = found.estimates[0];
    const double half = 1.96115 * std::sqrt(0.25 / 1999);  // t of 1999 degrees
    EXPECT_EQ(e.interval, interval);
    EXPECT_NEAR(e.value, 0.5, 1e-12);
    EXPECT_NEAR(e.low, 0.5 - half, 1e-6) << "the mean has an interval of its own";
    EXPECT_GT(e.high, 0.5 + half) << "and the sequence's is in it";
    EXPECT_THAT(found.doubts, Contains(HasSubstr("may have changed along the log"))) << interval;
    for (const auto& at : found.course) {
      EXPECT_LE(at.low, at.value) << at.events;
      EXPECT_GE(at.high, at.value) << at.events;
    }
  }
}

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

// What `evaluate` says of a policy that learns and its probabilities as rows are of one policy, which takes no
// event for more than ten.
TEST(Evaluate, RowsOfALearningPolicyAreTheOnesThatAreJudged) {
  auto events = SmallWorld::events(60, 16);
  for (auto& event : events.all) {
    event.probabilities.assign(3, 0.495);
    event.probabilities[event.arm] = 0.01;
  }
  const auto rows = policy_probabilities(events, "linear-ts", 1);
  const auto found = evaluate(events, {.policies = {"linear-ts"}, .estimators = {"ips"}, .seed = 1});
  double sum = 0;
  for (std::size_t i = 0; i < 60; ++i)
    sum += rows.probabilities[3 * i + events.all[i].arm] / 0.01 * *events.all[i].reward;
  EXPECT_NEAR(found.policies[0].estimates[0].value, sum / 60, 1e-9);
}

TEST(Evaluate, ItTellsHowFarItIs) {
  auto events = SmallWorld::events(300, 14);
  std::vector<std::string> steps;
  EvaluationProgress last{};
  const auto note = [&](const EvaluationProgress& progress) {
    if (steps.empty() || steps.back() != progress.step) steps.emplace_back(progress.step);
    else EXPECT_GT(progress.done, last.done) << progress.step;
    EXPECT_TRUE(progress.of == 0 ? steps.size() <= 2 : progress.done <= progress.of) << progress.step;
    last = progress;
  };
  evaluate(events, {.policies = {"uniform", "logged"}, .progress = note});
  const std::vector<std::string> all{"learning the features", "reading the log", "fitting the reward model", "judging", "finding intervals"};
  EXPECT_EQ(steps, all);
  EXPECT_EQ(last.done, 2u);
  steps.clear();
  tune(events, "linear-ts", {{"nu", {"0.1"}}}, {.estimators = {"dr"}, .progress = note});
  EXPECT_EQ(steps, all);
}

TEST(Evaluate, AFoldHoldsAtLeastAnEvent) {
  auto events = SmallWorld::events(12, 14);
  const auto judge = [&](std::size_t folds) { return evaluate(events, {.estimators = {"dr"}, .folds = folds}); };
  const auto many = judge(std::size_t{1} << 40), most = judge(12);
  EXPECT_EQ(many.policies[0].estimates[0].value, most.policies[0].estimates[0].value);
  EXPECT_THAT(many.notes, Contains(HasSubstr("uses 12 of 1099511627776 folds")));
  EXPECT_THAT(most.notes, testing::Not(Contains(HasSubstr("folds"))));
}

TEST(Evaluate, MistakesAreNamed) {
  auto events = SmallWorld::events(100, 14);
  const auto message = [&](const EvaluationOptions& options) -> std::string {
    try {
      evaluate(events, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message({.estimators = {"snip"}}), HasSubstr("did you mean 'snips'?"));
  EXPECT_THAT(message({.interval = "bettin"}), HasSubstr("did you mean 'betting'?"));
  EXPECT_THAT(message({.policies = {"linear-tz"}}), HasSubstr("linear-ts"));
  EXPECT_THAT(message({.policies = {"constant"}}), HasSubstr("constant:ARM"));
  EXPECT_THAT(message({.policies = {"constant:gren"}}), HasSubstr("did you mean 'green'?"));
  EXPECT_THAT(message({.confidence = 95}), HasSubstr("not between 0 and 1"));
  EXPECT_THAT(message({.lowest_reward = 0, .highest_reward = 0.5}), HasSubstr("rewards from 0 to 1"));
  for (const auto& [low, high] : {std::pair{1., 0.}, {0., -1.}, {NAN, 1.}, {0., double(INFINITY)}, {-1e300, 1e300}, {2., 2.}})
    EXPECT_THAT(message({.lowest_reward = low, .highest_reward = high}), HasSubstr("is not a range")) << low;
  EXPECT_THAT(message({.policies = {}}), HasSubstr("policies: none is named"));
  EXPECT_THAT(message({.since = NAN}), HasSubstr("since: nan is not a time"));
  EXPECT_THAT(message({.until = -1}), HasSubstr("until: -1 is not a time"));
  EXPECT_THAT(message({.since = 5000, .until = 5000}), HasSubstr("until: it is not after since"));
  events.all[7].id = events.all[3].id;
  EXPECT_THAT(message({}), HasSubstr("given before"));
  const Evaluation skipped = evaluate(events, {.skip_bad = true});
  EXPECT_EQ(skipped.events, 99u);
  EXPECT_THAT(skipped.notes, Contains(HasSubstr("1 events were left out")));
  EXPECT_EQ(skipped.policies[0].diagnostics.n, 99u);
  EXPECT_THROW(evaluate(events, {.skip_bad = true, .stop = [] { return true; }}), Error);
}

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

}  // namespace
}  // namespace neuralts
