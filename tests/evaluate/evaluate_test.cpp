// Policies judged end to end, on a world whose values are known.
#include "neuralts/evaluate.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/temp_folder.hpp"
#include "evaluate/memory_events.hpp"
#include "neuralts/agent.hpp"

namespace neuralts {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr double uniform_value = (0.2 + 0.5 + 0.7 + 0.8 + 0.3 + 0.4) / 6;
constexpr double green_value = (0.5 + 0.3) / 2;

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

/// Green is never played: its probability goes to blue, and so do its plays.
MemoryEvents without_green(std::size_t n, std::uint64_t seed) {
  auto events = SmallWorld::events(n, seed);
  for (auto& event : events.all) {
    event.probabilities[2] += event.probabilities[1];
    event.probabilities[1] = 0;
    if (event.arm == 1) event.arm = 2;
  }
  return events;
}

TEST(Evaluate, ActionsTheLogNeverPlaysAreUnsupported) {
  auto events = without_green(4000, 10);
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

// Rewards of 1000 and more tell no less: what green would earn is known to lie among them.
TEST(Evaluate, WhereZeroLiesIsNothingToWhatIsUnsupported) {
  auto events = without_green(4000, 10), higher = events;
  for (auto& event : higher.all) *event.reward += 1000;
  for (const char* interval : {"likelihood", "cressie-read", "clopper-pearson", "betting"}) {
    const auto judged = [&](MemoryEvents& log, double low) {
      return evaluate(log, {.estimators = {"likelihood", "cressie-read"}, .interval = interval, .lowest_reward = low,
                            .highest_reward = low + 1}).policies[0].estimates;
    };
    const auto plain = judged(events, 0), moved = judged(higher, 1000);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_NEAR(moved[i].value, plain[i].value + 1000, 1e-6) << interval << " " << plain[i].estimator;
      EXPECT_NEAR(moved[i].low, plain[i].low + 1000, 1e-6) << interval << " " << plain[i].estimator;
      EXPECT_NEAR(moved[i].high, plain[i].high + 1000, 1e-6) << interval << " " << plain[i].estimator;
    }
  }
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

// Five kinds of events in turn: with every fifth left out no model would know the kind that it is asked about.
TEST(Evaluate, FoldsDoNotFollowTheLogsRhythm) {
  auto events = SmallWorld::events(500, 21);
  for (std::size_t i = 0; i < 500; ++i) {
    Event& event = events.all[i];
    event.offer.length = 5;
    event.offer.numbers.assign(5, 0);
    event.offer.numbers[i % 5] = 1;
    event.reward = i % 5 == 4 ? 1 : 0;
  }
  EXPECT_NEAR(evaluate(events, {.estimators = {"dm"}}).policies[0].estimates[0].value, 0.2, 0.02);
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

}  // namespace
}  // namespace neuralts
