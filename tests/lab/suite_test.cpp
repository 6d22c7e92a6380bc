#include "lab/suite.hpp"

#include <gtest/gtest.h>

#include <set>

namespace neuralts {
namespace {

Record record(const std::string& env, const std::string& policy, double regret, const Params& params = {},
              std::uint64_t seed = 1001) {
  Record out;
  out.spec.env = env;
  out.spec.policy.name = policy;
  out.spec.policy.params = params;
  out.spec.seed = seed;
  out.result.rounds = 100;
  out.result.regret = regret;
  out.result.regret_known = true;
  return out;
}

TEST(Suite, HasEveryRivalInEveryWorldOnSeedsThatNothingWasChosenOn) {
  std::set<std::string> worlds;
  for (const RunSpec& run : expand(suite_experiment({.what = "suite", .seeds = 2}))) {
    worlds.insert(run.env);
    EXPECT_GE(run.seed, 1001u);
  }
  for (const char* world : {"adult", "wheel", "linear", "nominal", "risky", "linear:noise=1", "clicks:odds=-4",
                            "plain:form=columns", "segments", "codes", "codes:unknown=0.1", "doses",
                            "doses:form=blocks", "items", "sleeping:swing=0.5"})
    EXPECT_TRUE(worlds.contains(world)) << world;
  EXPECT_EQ(expand(suite_experiment({.what = "suite", .seeds = 2, .envs = {"wheel"}})).size(), 2u * (8 + 6));
  EXPECT_EQ(expand(suite_experiment({.what = "suite", .seeds = 2, .envs = {"wheel"}, .policies = {"linear-ucb"}})).size(), 2u);
  for (const RunSpec& run : expand(suite_experiment({.what = "suite", .quick = true}))) EXPECT_NE(run.env, "adult");
}

TEST(Suite, WhatItDoesNotHaveIsRefused) {
  const auto refused = [](Reproduction asked) -> std::string {
    try {
      suite_experiment(asked);
    } catch (const Error& problem) {
      return problem.what();
    }
    return "nothing was refused";
  };
  EXPECT_EQ(refused({.what = "suite", .envs = {"weel"}}), "reproduce suite: unknown world 'weel': did you mean 'wheel'?");
  EXPECT_NE(refused({.what = "suite", .quick = true, .envs = {"adult"}}), "nothing was refused") << "it has no data sets";
  EXPECT_EQ(refused({.what = "suite", .policies = {"linear-uc"}}),
            "reproduce suite: unknown policy 'linear-uc': did you mean 'linear-ucb'?");
}

TEST(Suite, TheLargestGapComesFirst) {
  const std::vector<Record> records = {record("linear", "random", 100),    record("linear", "neural-ts", 12),
                                       record("linear", "linear-ucb", 10), record("linear", "linear-ts", 30),
                                       record("wheel", "random", 50),      record("wheel", "neural-ts", 20),
                                       record("wheel", "kernel-ts", 10),   record("cosine", "random", 9)};
  const auto rows = suite_rows(Summary(records));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].world, "wheel");
  EXPECT_EQ(rows[0].rival, "kernel-ts");
  EXPECT_DOUBLE_EQ(rows[0].gap(), 0.2);
  EXPECT_EQ(rows[1].rival, "linear-ucb");
  EXPECT_DOUBLE_EQ(rows[1].gap(), 0.02);
  EXPECT_EQ(rows[1].nu, "");
}

TEST(Suite, TheBestFixedExplorationIsNamedBesideTheBestRival) {
  const std::vector<Record> records = {
      record("wheel", "random", 100), record("wheel", "linear-ts", 40), record("wheel", "neural-ts", 20),
      record("wheel", "neural-ts", 15, {{"nu", "0.5"}}), record("wheel", "neural-ts", 30, {{"nu", "3"}})};
  const auto rows = suite_rows(Summary(records));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].regret, 20);
  EXPECT_EQ(rows[0].nu, "0.5");
  EXPECT_DOUBLE_EQ(rows[0].fixed_gap(), 0.05);
}

// The rival loses 10 less in one world and 30 less in the other: 20, with a standard error of 10. What each loses from world
// to world does not matter.
TEST(Suite, GapsHaveTheStandardErrorOfTheirDifferences) {
  const std::vector<Record> records = {
      record("wheel", "random", 100),    record("wheel", "neural-ts", 20),  record("wheel", "neural-ts", 90, {}, 1002),
      record("wheel", "linear-ts", 10),  record("wheel", "linear-ts", 60, {}, 1002),
      record("wheel", "neural-ts", 5, {{"nu", "0.5"}})};
  const auto rows = suite_rows(Summary(records));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_DOUBLE_EQ(rows[0].gap(), 0.2);
  EXPECT_DOUBLE_EQ(rows[0].gap_error, 0.1);
  EXPECT_EQ(rows[0].fixed_gap_error, 0);  // one seed
}

}  // namespace
}  // namespace neuralts
