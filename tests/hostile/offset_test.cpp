// Policies that see raw rewards and columns say so where it matters; those that standardise have nothing to say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "neuralts/policy.hpp"

namespace neuralts {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> notes_after(const std::string& name, double reward_offset, double column_offset,
                                     const std::string& preset = "paper") {
  const auto policy = make_policy({.name = name, .preset = preset, .params = {}, .shape = {.length = 3}});
  Stream stream(1, Purpose::environment);
  for (int i = 0; i < 40; ++i) {
    const std::vector<double> x = {stream.normal(), stream.normal(), column_offset + stream.normal()};
    policy->learn(std::vector<Finished>{{{x}, reward_offset + x[0]}});
  }
  return policy->notes();
}

class Offset : public testing::TestWithParam<const char*> {};

TEST_P(Offset, OfRewardsIsSaid) {
  EXPECT_THAT(notes_after(GetParam(), 1000, 0),
              Contains(AllOf(HasSubstr("rewards lie around "), HasSubstr("rewards=standardised"))));
  EXPECT_THAT(notes_after(GetParam(), -1000, 0), Contains(HasSubstr("rewards lie around -")));
}

TEST_P(Offset, OfAColumnIsSaid) {
  EXPECT_THAT(notes_after(GetParam(), 0, 1.7e9), Contains(HasSubstr("the numbers of column 2 lie around 1.7e+09")));
}

TEST_P(Offset, IsNotSaidWhereThereIsNone) {
  for (const double offset : {0., 1., -3.})
    EXPECT_THAT(notes_after(GetParam(), offset, offset), Not(Contains(HasSubstr(" lie around "))));
  EXPECT_THAT(notes_after(GetParam(), 1000, 1.7e9, "tuned"), Not(Contains(HasSubstr(" lie around "))));
}

INSTANTIATE_TEST_SUITE_P(WithoutScaling, Offset,
                         testing::Values("linear-ts", "linear-ucb", "kernel-ts", "kernel-ucb"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace neuralts
