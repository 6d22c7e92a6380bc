// A policy that a program registers: its parameters are its own, its mistakes are told where they are made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/error_text.hpp"
#include "neuralts/extend.hpp"

namespace neuralts {
namespace {

using testing::HasSubstr;

constexpr Shape shape{.length = 2};

// Believes nothing: every arm's mean is 0.
class NoBelief final : public CopiedBelief<NoBelief> {
 public:
  void predict(const Contexts&, Scratch&, std::span<double>, std::span<double>) const override {}
  void observe(std::span<const Finished>) override {}
  std::size_t memory() const override { return 0; }
  void save(Writer&) const override {}
  void load(Reader&) override {}
};

PolicyEntry entry(const std::string& name, std::vector<ParamInfo> params = {}) {
  return {.info = {.name = name, .params = std::move(params)},
          .make = [](const PolicySpec& spec, const Settings& settings) {
            return make_belief_learner(spec, settings.values(), std::make_unique<NoBelief>(), make_greedy());
          }};
}

TEST(OwnPolicy, HasParametersWhoseNamesTheLibraryOnceUsedOtherwise) {
  register_policy(entry("own-width", {{"width", "16", ">= 1", "hidden units"},
                                      {"scale", "one", "one | sqrt-width", "of the width"}}));
  const auto policy = make_policy(
      {.name = "own-width", .params = {{"width", "8"}, {"scale", "sqrt-width"}}, .shape = shape});
  EXPECT_EQ(policy->resolved(), (Params{{"floor", "0"}, {"scale", "sqrt-width"}, {"width", "8"}}));
}

TEST(OwnPolicy, EarlierNamesHoldForThePoliciesThatHadThem) {
  const auto policy = make_policy({.name = "neural-ts",
                                   .preset = "paper",
                                   .params = {{"width", "8"}, {"normaliser", "width"}},
                                   .shape = shape});
  EXPECT_EQ(policy->resolved().at("units"), "8");
  EXPECT_EQ(policy->resolved().at("normaliser"), "units");
  EXPECT_THAT(error_text<Error>([] {
                make_policy({.name = "linear-ts", .params = {{"width", "8"}}, .shape = shape});
              }),
              HasSubstr("unknown parameter 'width'"));
}

std::string refusal(PolicyEntry wrong) {
  return error_text<std::exception>([&] { register_policy(std::move(wrong)); });
}

TEST(OwnPolicy, AnEntryThatCannotBeUsedIsRefusedAtOnce) {
  for (const auto* name : {"", "my policy", "mine:nu=1", "a,b", "a;b", "a=b"})
    EXPECT_THAT(refusal(entry(name)), HasSubstr("its name is empty or holds one of")) << name;
  const ParamInfo nu{"nu", "0.1", ">= 0", "exploration"};
  EXPECT_THAT(refusal(entry("own", {{"a=b", "1", ">= 0", "x"}})), HasSubstr("policy 'own': the key 'a=b'"));
  EXPECT_THAT(refusal(entry("own", {nu, nu})),
              HasSubstr("policy 'own': the key 'nu' stands in its table twice"));
  EXPECT_THAT(refusal(entry("own", {{"floor", "0", "0 .. 1", "x"}})),
              HasSubstr("the key 'floor' stands in its table twice"));
  EXPECT_THAT(refusal(entry("own", {{"nu", "-1", ">= 0", "x"}})),
              HasSubstr("parameter nu=-1 is not valid: allowed: >= 0"));
  EXPECT_THAT(refusal(entry("own", {{"nu", "1", "Any", "x"}})), HasSubstr("'Any' is not understood"));

  PolicyEntry without = entry("own");
  without.make = nullptr;
  EXPECT_THAT(refusal(without), HasSubstr("policy 'own': there is no function `make`"));
  PolicyEntry unknown_default = entry("own", {nu});
  unknown_default.info.default_preset = "best";
  EXPECT_THAT(refusal(unknown_default), HasSubstr("the default preset 'best' is none of its presets"));
  PolicyEntry wrong_preset = entry("own", {nu});
  wrong_preset.info.presets = {{"best", {{"mu", "1"}}}};
  EXPECT_THAT(refusal(wrong_preset), HasSubstr("policy 'own', preset 'best': unknown parameter 'mu'"));
  EXPECT_THROW(policy_info("own"), Error);
}

TEST(OwnPolicy, ThatIsMadeOfNothingIsRefused) {
  PolicyEntry nothing = entry("own-nothing");
  nothing.make = [](const PolicySpec&, const Settings&) { return std::unique_ptr<Learner>(); };
  register_policy(nothing);
  EXPECT_THAT(error_text<ContractError>([] { make_policy({.name = "own-nothing", .shape = shape}); }),
              HasSubstr("policy 'own-nothing': its function `make` made nothing"));
  const PolicySpec spec{.name = "own", .shape = shape};
  EXPECT_THAT(error_text<ContractError>([&] { make_belief_learner(spec, {}, nullptr, make_greedy()); }),
              HasSubstr("policy 'own': it has no belief"));
  EXPECT_THAT(error_text<ContractError>([&] {
                make_belief_learner(spec, {}, std::make_unique<NoBelief>(), std::unique_ptr<Rule>());
              }),
              HasSubstr("policy 'own': it has no rule"));
}

// Chooses what it is told to.
class Told final : public Rule {
 public:
  Told(std::size_t arm, std::vector<double> probabilities)
      : arm_(arm), probabilities_(std::move(probabilities)) {}
  bool needs_width() const override { return false; }
  void choose(Stream& explore, Scratch&, Decision& out) const override {
    explore.uniform();
    out.arm = arm_;
    out.probabilities = probabilities_;
    out.probability = probabilities_[0];
  }

 private:
  std::size_t arm_;
  std::vector<double> probabilities_;
};

TEST(OwnPolicy, WhatIsNoDecisionIsRefusedAndNothingIsDrawn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const struct {
    std::size_t arm;
    std::vector<double> probabilities;
    const char* said;
  } cases[] = {{2, {0.5, 0.5}, "policy 'own': arm 2 was chosen of 2 offered"},
               {0, {0, 0}, "policy 'own': 2 probabilities of 2 arms sum to 0:"},
               {0, {1}, "1 probabilities of 2 arms sum to 1:"},
               {0, {1.5, -0.5}, "sum to 1, some are negative"},
               {0, {0.5, nan}, "the probability of arm 1 is nan"}};
  const std::vector<double> numbers{1, 2, 3, 4};
  for (const auto& wrong : cases) {
    const auto learner = make_belief_learner({.name = "own", .shape = shape}, {},
                                             std::make_unique<NoBelief>(),
                                             std::make_unique<Told>(wrong.arm, wrong.probabilities));
    Stream explore(1, Purpose::exploration);
    const auto before = explore.state();
    Scratch scratch;
    Decision out;
    EXPECT_THAT(error_text<ContractError>(
                    [&] { learner->current().select(Contexts::per_arm(numbers, 2), explore, scratch, out); }),
                HasSubstr(wrong.said));
    EXPECT_EQ(explore.state(), before);
  }
}

TEST(OwnPolicy, AValueThatAFileCouldNotTellIsRefused) {
  register_policy(entry("own-path", {{"path", "here", "a path", "where it reads"}}));
  const auto made = [](const std::string& path) {
    return error_text<Error>([&] {
      make_policy({.name = "own-path", .params = {{"path", path}}, .shape = shape});
    });
  };
  for (const auto* path : {"a,b", "a,nu=1", " a", "a "})
    EXPECT_THAT(made(path), HasSubstr("holds a comma, or a space at an end")) << path;
  for (const auto* path : {"a b=c", "", "x"}) EXPECT_EQ(made(path), "");
}

TEST(OwnPolicy, AFileOfOneThatIsNotKnownSaysSo) {
  const auto learner = make_belief_learner({.name = "never-registered", .shape = shape}, {},
                                           std::make_unique<NoBelief>(), make_greedy());
  const auto bytes = model_to_bytes(*learner->publish());
  EXPECT_EQ(error_text<Error>([&] { model_from_bytes(bytes, "mine.nts"); }),
            "mine.nts: unknown policy 'never-registered': a policy of your own is registered before its "
            "files are read "
            "(neuralts/extend.hpp)");
}

}  // namespace
}  // namespace neuralts
