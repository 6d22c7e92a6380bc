#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "neuralts/lab.hpp"

namespace neuralts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string refusal(const auto& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_spec);
    return error.what();
  }
  return "nothing was refused";
}

Grid small() { return {.envs = {"quadratic", "cosine"}, .policies = {"random"}, .seeds = {1, 2, 3}, .rounds = 10}; }

TEST(Lists, KeyValueBelongsToTheItemBefore) {
  EXPECT_THAT(split_list("a,b"), ElementsAre("a", "b"));
  EXPECT_THAT(split_list("wheel:delta=0.95,noise=0.1,mushroom"),
              ElementsAre("wheel:delta=0.95,noise=0.1", "mushroom"));
  EXPECT_THAT(split_list("10,lost=0.1,100"), ElementsAre("10,lost=0.1", "100"));
  EXPECT_THAT(split_list("uniform:5..20,lost=0.2 , 0"), ElementsAre("uniform:5..20,lost=0.2", "0"));
  EXPECT_THAT(split_list("a;b=1;c"), ElementsAre("a", "b=1", "c"));
  EXPECT_THAT(split_list("data/x=1.csv"), ElementsAre("data/x=1.csv"));
  EXPECT_THAT(split_list(""), ElementsAre());
}

TEST(Lists, Seeds) {
  EXPECT_THAT(parse_seeds("1..4"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(parse_seeds("1,5, 9"), ElementsAre(1, 5, 9));
  EXPECT_THAT(parse_seeds("1..2,7"), ElementsAre(1, 2, 7));
  EXPECT_THAT(parse_seeds("18446744073709551615"), ElementsAre(18446744073709551615U));
  for (const char* bad : {"", "x", "3..1", "1...2", "-1", "1..", "1..99999999"})
    EXPECT_THAT(refusal([&] { parse_seeds(bad); }), HasSubstr("1..20")) << bad;
}

TEST(Lists, SetMakesDimensions) {
  EXPECT_THAT(parse_set("lambda=1,0.1"), ElementsAre(Pair("lambda", ElementsAre("1", "0.1"))));
  EXPECT_THAT(parse_set("a=1,b=2,3"), ElementsAre(Pair("a", ElementsAre("1")), Pair("b", ElementsAre("2", "3"))));
  for (const char* bad : {"nonsense", "=1", "a=", "a=1,,2"})
    EXPECT_THAT(refusal([&] { parse_set(bad); }), HasSubstr("KEY=VALUE")) << bad;
}

TEST(Grid, IsTheProductOfItsLists) {
  Grid grid = small();
  grid.delays = {"0", "10"};
  const auto runs = expand({{grid}});
  EXPECT_EQ(runs.size(), 2U * 2U * 3U);
  std::set<std::string> keys;
  for (const auto& run : runs) keys.insert(run_key(run));
  EXPECT_EQ(keys.size(), runs.size());
  EXPECT_EQ(runs.front().env, "quadratic");
  EXPECT_EQ(runs.back().seed, 3U);
}

TEST(Grid, ParametersGoToThePoliciesThatHaveThem) {
  Grid grid = small();
  grid.envs = {"quadratic"};
  grid.policies = {"random", "linear-ucb", "linear-ucb:nu=7"};
  grid.seeds = {1};
  grid.set = {{"nu", {"1", "2"}}};
  std::vector<std::string> seen;
  for (const auto& run : expand({{grid}})) seen.push_back(run.policy.name + " " + to_string(run.policy.params));
  EXPECT_THAT(seen, ElementsAre("random ", "linear-ucb nu=1", "linear-ucb nu=2", "linear-ucb nu=7"));
}

TEST(Grid, TheSameRunTwiceIsOneRun) { EXPECT_EQ(expand({{small(), small()}}).size(), 6U); }

TEST(Grid, TypingErrorsAreRefused) {
  const auto refused = [](auto change) {
    Grid grid = small();
    change(grid);
    return refusal([&] { expand({{grid}}); });
  };
  EXPECT_THAT(refused([](Grid& g) { g.policies = {"randon"}; }), HasSubstr("did you mean 'random'?"));
  EXPECT_THAT(refused([](Grid& g) {
                g.policies = {"linear-ts"};
                g.set = {{"mu", {"1"}}};
              }),
              HasSubstr("did you mean 'nu'?"));
  EXPECT_THAT(refused([](Grid& g) {
                g.policies = {"linear-ts"};
                g.set = {{"nu", {"-1"}}};
              }),
              HasSubstr("nu"));
  EXPECT_THAT(refused([](Grid& g) { g.presets = {"papr"}; }), HasSubstr("papr"));
  EXPECT_THAT(refused([](Grid& g) { g.envs.clear(); }), HasSubstr("environments"));
  EXPECT_THAT(refused([](Grid& g) { g.seeds.clear(); }), HasSubstr("seeds"));
  EXPECT_THAT(refused([](Grid& g) { g.delays = {"soon"}; }), HasSubstr("soon"));
}

TEST(Grid, WhatEveryGridSaysIsForThoseThatHaveIt) {
  Experiment experiment{{{.envs = {"quadratic"}, .policies = {"random"}}, {.envs = {"quadratic"}, .policies = {"neural-ts"}}}};
  for (Grid& grid : experiment.grids) {
    grid.set = {{"nu", {"1", "2"}}};
    grid.presets = {"fast"};
  }
  std::vector<std::string> seen;
  for (const auto& run : expand(experiment))
    seen.push_back(run.policy.name + " " + run.policy.preset + " " + to_string(run.policy.params));
  EXPECT_THAT(seen, ElementsAre("random  ", "neural-ts fast nu=1", "neural-ts fast nu=2"));
  experiment.grids[1].set.clear();
  EXPECT_THAT(refusal([&] { expand(experiment); }), HasSubstr("experiment, grid 1: unknown parameter 'nu'"))
      << "it stands in the wrong grid";
  for (Grid& grid : experiment.grids) grid.set = {{"mu", {"1"}}};
  EXPECT_THAT(refusal([&] { expand(experiment); }), HasSubstr("unknown parameter 'mu'")) << "nobody has it";
}

TEST(RunKey, DependsOnEveryPartOfTheSpec) {
  const RunSpec base{.env = "e",
                     .policy = {.name = "p", .preset = "", .params = {}, .shape = {}},
                     .seed = 1,
                     .rounds = 5,
                     .delay = {}};
  std::set<std::string> keys{run_key(base)};
  const auto changed = [&](auto change) {
    RunSpec spec = base;
    change(spec);
    return keys.insert(run_key(spec)).second;
  };
  EXPECT_TRUE(changed([](RunSpec& s) { s.env = "f"; }));
  EXPECT_TRUE(changed([](RunSpec& s) { s.policy.name = "q"; }));
  EXPECT_TRUE(changed([](RunSpec& s) { s.policy.preset = "x"; }));
  EXPECT_TRUE(changed([](RunSpec& s) { s.policy.params["nu"] = "1"; }));
  EXPECT_TRUE(changed([](RunSpec& s) { s.seed = 2; }));
  EXPECT_TRUE(changed([](RunSpec& s) { s.rounds = 6; }));
  EXPECT_TRUE(changed([](RunSpec& s) { s.delay = parse_delay("10"); }));
  EXPECT_FALSE(changed([](RunSpec& s) {
    s.policy.shape = {3, 4};
    s.policy.seed = 9;
  }));
}

}  // namespace
}  // namespace neuralts
