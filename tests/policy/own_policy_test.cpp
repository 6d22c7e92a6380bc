// A policy that a program registers: its parameters are its own, and its mistakes are told where they are made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace neuralts
