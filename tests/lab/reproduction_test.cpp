#include "lab/reproduction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace neuralts {
namespace {

std::map<std::string, std::size_t> runs_by_policy(const Experiment& experiment) {
  std::map<std::string, std::size_t> counts;
  for (const auto& run : expand(experiment)) ++counts[run.policy.name];
  return counts;
}

Record found(const RunSpec& run, double regret) {
  Record record;
  record.spec = run;
  record.result.rounds = 10;
  record.result.regret = regret;
  return record;
}

TEST(Reproduction, SearchesThePapersGrids) {
  const auto counts = runs_by_policy(search_experiment({.what = "table"}));
  constexpr std::size_t sets = 6;
  for (const char* policy : {"linear-ucb", "linear-ts", "kernel-ucb", "kernel-ts", "neural-greedy"})
    EXPECT_EQ(counts.at(policy), sets * 3) << policy;
  for (const char* policy : {"neural-ucb", "neural-ts"}) EXPECT_EQ(counts.at(policy), sets * 4 * 5) << policy;
  EXPECT_EQ(counts.at("bootstrap-nn"), sets);
  EXPECT_EQ(counts.size(), 8U);
}

TEST(Reproduction, TheTunedPresetIsNotSearched) {
  const auto counts = runs_by_policy(search_experiment({.what = "table", .preset = "tuned"}));
  EXPECT_EQ(counts.at("neural-ts"), 6U);
  EXPECT_EQ(counts.at("linear-ucb"), 18U);
}

TEST(Reproduction, QuickHasEveryCellAndNoGrid) {
  const auto runs = expand(search_experiment({.what = "table", .quick = true}));
  EXPECT_EQ(runs.size(), 8U * 6U);
  std::set<std::pair<std::string, std::string>> cells;
  for (const auto& run : runs) {
    cells.insert({run.env, run.policy.name});
    EXPECT_GT(run.rounds, 0U);
  }
  EXPECT_EQ(cells.size(), 8U * 6U);
}

/// The best of a search is repeated with its parameters, each data set with its own.
TEST(Reproduction, TheBestIsRepeated) {
  const Reproduction table{.what = "table", .seeds = 20, .envs = {"adult", "magic"}};
  std::vector<Record> records;
  for (const auto& run : expand(search_experiment(table))) {
    if (run.policy.name != "linear-ts") continue;
    const bool wanted = run.policy.params.at("nu") == (run.env == "adult" ? "0.1" : "1");
    records.push_back(found(run, wanted ? 10 : 20));
  }
  const auto runs = expand(repeat_experiment(table, Summary(records)));
  EXPECT_EQ(runs.size(), 2U * 20U);
  for (const auto& run : runs) EXPECT_EQ(run.policy.params.at("nu"), run.env == "adult" ? "0.1" : "1");
}

/// One folder may hold searches under several presets and horizons: what is best there is not best here.
TEST(Reproduction, WhatAnotherSearchFoundIsNotRepeated) {
  const Reproduction here{.what = "table", .seeds = 20, .rounds = 100, .envs = {"adult"}, .policies = {"kernel-ts"}};
  Reproduction others[] = {here, here};
  others[0].preset = "tuned";
  others[1].rounds = 200;
  std::vector<Record> records;
  const auto search = [&](const Reproduction& reproduction, const std::string& best) {
    for (const auto& run : expand(search_experiment(reproduction)))
      records.push_back(found(run, run.policy.params.at("nu") == best ? 10 : 20));
  };
  for (const auto& other : others) search(other, "1");
  search(here, "0.01");
  const auto runs = expand(repeat_experiment(here, Summary(records)));
  EXPECT_EQ(runs.size(), 20U);
  for (const auto& run : runs) {
    EXPECT_EQ(run.policy.params.at("nu"), "0.01");
    EXPECT_EQ(run.rounds, 100U);
  }
}

TEST(Reproduction, DelaysAreForTheNeuralPair) {
  const Reproduction delay{.what = "delay", .quick = true, .envs = {"adult"}};
  std::vector<Record> records;
  for (const auto& run : expand(search_experiment(delay))) records.push_back(found(run, 1));
  std::set<std::string> delays;
  for (const auto& run : expand(repeat_experiment(delay, Summary(records))))
    delays.insert(run.policy.name + " " + to_string(run.delay));
  EXPECT_EQ(delays.size(), 2U * 4U);
}

TEST(Reproduction, QuickSearchesNothingAndItsRunsAreTheRepeats) {
  EXPECT_FALSE(searches({.what = "table", .quick = true}));
  EXPECT_TRUE(searches({.what = "table"}));
  const Reproduction quick{.what = "delay", .quick = true, .seeds = 3, .envs = {"adult"}};
  EXPECT_EQ(expand(planned_repeats(quick)).size(), 2U * 4U * 3U);
  EXPECT_EQ(default_folder(quick), "reproduce-delay-released-quick");
  EXPECT_EQ(default_folder({.what = "table"}), "reproduce-released");
}

TEST(Reproduction, UnknownWordsAreRefused) {
  EXPECT_THROW(search_experiment({.what = "tabel"}), Error);
  EXPECT_THROW(search_experiment({.preset = "relased"}), Error);
}

TEST(Estimate, CountsEveryRun) {
  const auto runs = expand(
      {{Grid{.envs = {"quadratic"}, .policies = {"linear-ucb"}, .seeds = {1, 2, 3, 4}, .rounds = 4000}}});
  RunTimes known;
  const Estimate one = estimate(runs, 1, "", known);
  EXPECT_EQ(one.runs, 4U);
  EXPECT_GT(one.seconds, 0);
  EXPECT_EQ(estimate({}, 1, "", known).seconds, 0);
  EXPECT_EQ(estimate(runs, 1, "", known).seconds, one.seconds) << "nothing is tried twice";
}

}  // namespace
}  // namespace neuralts
