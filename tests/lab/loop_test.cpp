// The one loop: any policy in any world, with any delay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error_text.hpp"
#include "base/temp_folder.hpp"
#include "neuralts/lab.hpp"

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

/// Two arms, one number each; the third round is what a test makes it.
class OwnWorld final : public Environment {
 public:
  struct Third {
    std::vector<double> expected{0.25, 0.5};
    double reward = 1;
    std::size_t arms = 2;
    double number = 1;  // arm 0's context
  };
  explicit OwnWorld(Third third)
      : Environment({.name = "own", .shape = {.length = 1}, .max_arms = 2, .rounds = 5}), third_(std::move(third)) {}
  std::unique_ptr<Episode> start(std::uint64_t) const override { return std::make_unique<Rounds>(third_); }

 private:
  class Rounds final : public Episode {
   public:
    explicit Rounds(const Third& third) : third_(third) {}
    bool next() override {
      now_ = ++round_ == 3 ? third_ : Third{};
      numbers_[0] = now_.number;
      contexts_ = Contexts::per_arm(std::span(numbers_).first(now_.arms), now_.arms);
      return true;
    }
    const Contexts& contexts() const override { return contexts_; }
    std::span<const double> expected() const override { return now_.expected; }
    std::optional<double> reward(std::size_t) override { return now_.reward; }

   private:
    Third third_, now_;
    std::size_t round_ = 0;
    std::vector<double> numbers_{1, 2, 3};
    Contexts contexts_;
  };
  Third third_;
};

TEST(Loop, ARoundThatBreaksTheWorldsPromiseIsRefusedByItsNumber) {
  using testing::HasSubstr;
  const auto refusal = [](const OwnWorld::Third& third) -> std::string {
    try {
      run(OwnWorld(third), spec_of("own", "random", 5));
    } catch (const Error& problem) {
      EXPECT_EQ(problem.code(), ErrorCode::bad_input);
      return problem.what();
    }
    return "nothing was refused";
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal({}), "nothing was refused");
  EXPECT_THAT(refusal({.expected = {0, std::nan("")}}),
              HasSubstr("environment own, round 3: the expected reward of arm 1 is nan"));
  EXPECT_THAT(refusal({.expected = {-infinity, 0}}), HasSubstr("round 3: the expected reward of arm 0 is -inf"));
  EXPECT_THAT(refusal({.expected = {0, 1e16}}), HasSubstr("the expected reward of arm 1 is 1e+16"));
  EXPECT_THAT(refusal({.expected = {1}}), HasSubstr("round 3: 2 arms but 1 expected rewards"));
  EXPECT_THAT(refusal({.reward = infinity}), HasSubstr("round 3: the reward of arm"));
  EXPECT_THAT(refusal({.expected = {}, .arms = 3}), HasSubstr("round 3: 3 arms are offered, declared are at most 2"));
  EXPECT_THAT(refusal({.number = infinity}),
              HasSubstr("round 3: the context of arm 0 is not finite: number 0 is inf"));
}

class NoWorld final : public Environment {
 public:
  explicit NoWorld(std::size_t rounds)
      : Environment({.name = "none", .shape = {.length = 1}, .rounds = rounds}) {}
  std::unique_ptr<Episode> start(std::uint64_t) const override { return nullptr; }
};

TEST(Loop, WhatCannotBeRunIsRefusedByName) {
  using testing::HasSubstr;
  EXPECT_THAT(error_text<ContractError>([] { run(NoWorld(5), {.policy = {.name = "random"}, .seed = 7}); }),
              HasSubstr("environment none: start(7) made nothing"));
  EXPECT_THAT(error_text<Error>([] { run(NoWorld(0), {.policy = {.name = "random"}}); }),
              HasSubstr("environment none: nothing says how many rounds there are: give RunSpec::rounds"));
  EXPECT_THAT(error_text<ContractError>(
                  [] { run(OwnWorld({}), {}, {.contestant = [](const RunSpec&) { return nullptr; }}); }),
              HasSubstr("its maker made nothing"));
  EXPECT_THAT(error_text<ContractError>([] {
                Runner("", {{"mine", nullptr}});
              }),
              HasSubstr("the world given as 'mine' is null"));
}

// Chooses the third of two arms.
class Beyond final : public Contestant {
 public:
  void select(const Contexts& contexts, Stream&, Scratch&, Decision& out) override {
    out.arm = 2;
    out.probabilities.assign(contexts.arms(), 0.5);
  }
  void played(const Slice&) override {}
  void learn(std::span<const Finished>) override {}
};

TEST(Loop, AContestantThatChoosesWhatIsNotOfferedIsNamed) {
  EXPECT_EQ(error_text<ContractError>([] {
              run(OwnWorld({}), {.policy = {.name = "beyond"}},
                  {.contestant = [](const RunSpec&) { return std::make_unique<Beyond>(); }});
            }),
            "policy beyond, round 1: arm 2 was chosen of 2 offered, counted from 0");
}

TEST(Loop, AWorldThatBreaksItsPromiseCostsItsOwnRunsOnly) {
  const TempFolder place;
  ResultsFolder folder(place.path());
  SweepOptions options{.folder = &folder};
  options.worlds["own"] = std::make_shared<OwnWorld>(OwnWorld::Third{.expected = {0, std::nan("")}});
  run_experiment({{{.envs = {"own", "wheel"}, .policies = {"random"}, .seeds = {1, 2}, .rounds = 5}}}, options);
  std::size_t failed = 0;
  for (const Record& record : folder.records()) {
    EXPECT_EQ(record.ok(), record.spec.env == "wheel") << record.error;
    failed += !record.ok();
  }
  EXPECT_EQ(folder.records().size(), 4U);
  EXPECT_EQ(failed, 2U);
  EXPECT_TRUE(folder.unreadable().empty());
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
