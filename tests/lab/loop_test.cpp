// The one loop: any policy in any world, with any delay.
#include <gtest/gtest.h>

#include "base/temp_folder.hpp"
#include "neuralts/run.hpp"

namespace neuralts {
namespace {

const std::vector<std::string>& small_worlds() {
  static const std::vector<std::string> all = {"quadratic:dim=4", "gram:dim=4",     "cosine:dim=4",  "linear:dim=4",
                                               "wheel",           "drifting:dim=3", "sleeping:dim=3"};
  return all;
}

RunSpec spec_of(const std::string& env, const std::string& policy, std::size_t rounds,
                const std::string& delay = "") {
  RunSpec spec;
  spec.env = env;
  spec.policy.name = policy;
  spec.seed = 7;
  spec.rounds = rounds;
  spec.delay = parse_delay(delay);
  return spec;
}

RunResult play(const std::string& env, const std::string& policy, const std::string& delay, std::size_t rounds) {
  return run(*make_environment(env), spec_of(env, policy, rounds, delay));
}

TEST(Loop, AnyPolicyInAnyWorldWithAnyDelay) {
  for (const auto& policy : policy_catalog())
    for (const auto& world : small_worlds())
      for (const char* delay : {"0", "uniform:0..5,lost=0.2"}) {
        SCOPED_TRACE(policy.name + " in " + world + " with delay " + delay);
        const auto result = play(world, policy.name, delay, 12);
        EXPECT_EQ(result.rounds, 12u);
        EXPECT_GE(result.regret, 0);
        EXPECT_EQ(result.curve_rounds.back(), 12u);
        EXPECT_EQ(result.curve_regret.back(), result.regret);
      }
}

TEST(Loop, DelayZeroEqualsNoDelayBitForBit) {
  for (const auto& policy : policy_catalog()) {
    const auto none = play("linear:dim=4", policy.name, "", 25);
    for (const char* delay : {"0", "1", "uniform:0..0", "exponential:0", "0,lost=0"}) {
      const auto zero = play("linear:dim=4", policy.name, delay, 25);
      EXPECT_EQ(zero.regret, none.regret) << policy.name << " " << delay;
      EXPECT_EQ(zero.reward, none.reward) << policy.name << " " << delay;
      EXPECT_EQ(zero.curve_regret, none.curve_regret) << policy.name << " " << delay;
    }
  }
}

TEST(Loop, LateRewardsTeachLateAndLostOnesNever) {
  const auto reward = [](const char* delay) {
    return play("linear:dim=4,noise=0", "linear-ucb", delay, 400).regret;
  };
  EXPECT_LT(reward("0"), reward("200"));
  EXPECT_LT(reward("200"), reward("0,lost=1"));
}

TEST(Loop, EndsWithTheWorldsRounds) {
  const TempFolder folder;
  const auto result = play(folder.write("five.csv", "x,class\n1,a\n2,b\n3,a\n4,b\n5,a\n"), "random", "0", 1000);
  EXPECT_EQ(result.rounds, 5u) << "the world has five rows";
  EXPECT_EQ(result.curve_rounds.back(), 5u);
}

TEST(Loop, AnEndlessWorldEndsWithTheHorizonAndItsCurveStaysShort) {
  const auto result = play("wheel", "random", "0", 1000);
  EXPECT_EQ(result.rounds, 1000u);
  EXPECT_LE(result.curve_rounds.size(), 512u);
}

TEST(Loop, WhoeverPlaysIsAskedAndTaught) {
  struct Second final : Contestant {
    void select(const Contexts& contexts, Stream&, Scratch&, Decision& out) override {
      for (auto* list : {&out.probabilities, &out.mean, &out.width, &out.score}) list->assign(contexts.arms(), 0.0);
      out.arm = 1;
      out.probability = out.probabilities[1] = 1;
    }
    void played(const Slice&) override { ++plays; }
    void learn(std::span<const Finished> rounds) override { lessons += rounds.size(); }
    std::size_t memory() const override { return 1000 * plays + lessons; }
    std::size_t plays = 0, lessons = 0;
  };
  RunHooks hooks;
  hooks.contestant = [](const RunSpec&) { return std::make_unique<Second>(); };
  hooks.record = [](const RoundRecord& record) { EXPECT_EQ(record.decision.arm, 1u); };
  const RunSpec spec = spec_of("wheel", "mine", 20, "5");
  EXPECT_EQ(run(*make_environment("wheel"), spec, hooks).policy_bytes, 20u * 1000 + 20);
}

TEST(Loop, RecordsEveryRoundAndStopsWhenTold) {
  std::size_t rounds = 0;
  double regret = 0;
  const RunSpec spec = spec_of("wheel", "random", 100);
  const auto env = make_environment(spec.env);
  RunHooks hooks;
  hooks.record = [&](const RoundRecord& record) {
    EXPECT_EQ(record.round, ++rounds);
    regret += record.regret;
  };
  const auto result = run(*env, spec, hooks);
  EXPECT_EQ(rounds, 100u);
  EXPECT_EQ(regret, result.regret);
  std::size_t asked = 0;
  hooks.stop = [&] { return ++asked > 10; };
  rounds = 0;
  EXPECT_THROW(run(*env, spec, hooks), Error);
  EXPECT_EQ(rounds, 10u);
}

}  // namespace
}  // namespace neuralts
