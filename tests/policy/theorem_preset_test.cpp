#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "policy/theorem.hpp"
#include "neuralts/run.hpp"
#include "neuralts/policy.hpp"
#include "policy/theorem_preset.hpp"

namespace neuralts {
namespace {

using testing::HasSubstr;

std::unique_ptr<Policy> make(const Params& params, const std::string& preset = "theorem") {
  return make_policy({.name = "neural-ts", .preset = preset, .params = params, .shape = {.length = 4}});
}

Settings numbers(const Params& params) {
  const auto& table = policy_info("neural-ts").params;
  return resolve_theorem("test", table, resolve("test", table, theorem_preset(), params));
}

TEST(TheoremPreset, SettingsFollowFromTheHorizon) {
  const auto found = numbers({{"rounds", "50"}, {"noise", "0.2"}, {"delta", "0.05"}, {"norm", "3"}, {"log-det", "7"}, {"units", "40"}, {"depth", "3"}});
  const Horizon at{.rounds = 50, .arms = 1, .depth = 3, .noise = 0.2, .delta = 0.05};
  const double lambda = 1 + 1.0 / 50;
  EXPECT_DOUBLE_EQ(found.number("lambda"), lambda);
  EXPECT_DOUBLE_EQ(found.number("nu"), theorem_nu(at, 3, 7));
  EXPECT_DOUBLE_EQ(found.number("step"), theorem_step(at, lambda, 40));
  EXPECT_DOUBLE_EQ(found.number("iterations"), theorem_iterations(at, lambda));
}

TEST(TheoremPreset, GivenValuesComeFirst) {
  const auto found = numbers({{"nu", "0.5"}, {"lambda", "2"}, {"rounds", "50"}});
  EXPECT_EQ(found.text("nu"), "0.5");
  EXPECT_EQ(found.text("lambda"), "2");
  EXPECT_DOUBLE_EQ(found.number("step"), theorem_step({.rounds = 50}, 2, 100));
}

TEST(TheoremPreset, SaysThatItIsADemonstration) {
  const auto policy = make({});
  ASSERT_FALSE(policy->notes().empty());
  EXPECT_THAT(policy->notes().front(), HasSubstr("demonstration"));
  EXPECT_THAT(policy->notes().front(), HasSubstr("lambda = 1.01"));
  EXPECT_TRUE(make({}, "paper")->notes().empty());
}

TEST(TheoremPreset, RefusesValuesOutOfRange) {
  for (const Params& bad : {Params{{"rounds", "0"}}, Params{{"delta", "0"}}, Params{{"delta", "1"}},
                            Params{{"norm", "0"}}, Params{{"nu", "theorm"}}})
    EXPECT_THROW(make(bad), Error) << to_string(bad);
}

TEST(TheoremPreset, RunsAtASmallHorizonAndStaysBelowTheBound) {
  const std::string text = "cosine:dim=3,arms=2,noise=0.1";
  const auto env = make_environment(text);
  RunSpec spec;
  spec.env = text;
  spec.policy.preset = "theorem";
  spec.policy.params = {{"rounds", "15"}, {"units", "20"}};
  spec.rounds = 15;
  const auto result = run(*env, spec);
  EXPECT_EQ(result.rounds, 15U);
  const auto found = numbers(spec.policy.params);
  const double lambda = found.number("lambda"), nu = found.number("nu");
  EXPECT_LT(result.regret, theorem_regret({.rounds = 15, .arms = 2, .depth = 2, .noise = 0.1}, lambda, nu,
                                          15 * std::log1p(2 / lambda)));
}

}  // namespace
}  // namespace neuralts
