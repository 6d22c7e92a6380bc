// A policy that a program registers: its parameters are its own, and its mistakes are told where they are made.
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
  register_policy(entry("own-width", {{"width", "16", ">= 1", "hidden units"}, {"scale", "one", "one | sqrt-width", "of the width"}}));
  const auto policy = make_policy({.name = "own-width", .params = {{"width", "8"}, {"scale", "sqrt-width"}}, .shape = shape});
  EXPECT_EQ(policy->resolved(), (Params{{"floor", "0"}, {"scale", "sqrt-width"}, {"width", "8"}}));
}

TEST(OwnPolicy, EarlierNamesHoldForThePoliciesThatHadThem) {
  const auto policy = make_policy({.name = "neural-ts",
                                   .preset = "paper",
                                   .params = {{"width", "8"}, {"normaliser", "width"}},
                                   .shape = shape});
  EXPECT_EQ(policy->resolved().at("units"), "8");
  EXPECT_EQ(policy->resolved().at("normaliser"), "units");
  EXPECT_THAT(error_text<Error>([] { make_policy({.name = "linear-ts", .params = {{"width", "8"}}, .shape = shape}); }),
              HasSubstr("unknown parameter 'width'"));
}

// Chooses what it is told to.
class Told final : public Rule {
 public:
  Told(std::size_t arm, std::vector<double> probabilities) : arm_(arm), probabilities_(std::move(probabilities)) {}
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
    const auto learner = make_belief_learner({.name = "own", .shape = shape}, {}, std::make_unique<NoBelief>(),
                                             std::make_unique<Told>(wrong.arm, wrong.probabilities));
    Stream explore(1, Purpose::exploration);
    const auto before = explore.state();
    Scratch scratch;
    Decision out;
    EXPECT_THAT(error_text<ContractError>([&] {
                  learner->current().select(Contexts::per_arm(numbers, 2), explore, scratch, out);
                }),
                HasSubstr(wrong.said));
    EXPECT_EQ(explore.state(), before);
  }
}

}  // namespace
}  // namespace neuralts
