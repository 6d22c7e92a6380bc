#include "neuralts/context.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "base/error_text.hpp"
#include "neuralts/error.hpp"
#include "neuralts/limits.hpp"

namespace neuralts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Numbers = std::vector<double>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Contexts, PerArmAreRowsInBlockZero) {
  const Numbers values = {1, 2, 3, 4, 5, 6};
  const Contexts contexts = Contexts::per_arm(values, 3);
  EXPECT_EQ(contexts.arms(), 3u);
  EXPECT_EQ(contexts.length(), 2u);
  EXPECT_FALSE(contexts.shared());
  EXPECT_THAT(contexts[2].values, ElementsAre(5, 6));
  EXPECT_EQ(contexts[2].block, 0u);
  contexts.check({.length = 2});
}

TEST(Contexts, DisjointAreTheSameNumbersInTheArmsBlock) {
  const Numbers x = {1, 2};
  const std::vector<std::uint32_t> blocks = {4, 1};
  const Contexts all = Contexts::disjoint(x, 3), some = Contexts::disjoint(x, blocks);
  EXPECT_TRUE(all.shared());
  EXPECT_EQ(all[2].block, 2u);
  EXPECT_EQ(some.arms(), 2u);
  EXPECT_EQ(some[0].block, 4u);
  EXPECT_EQ(some[1].values.data(), x.data()) << "a view, not a copy";
  all.check({.length = 2, .blocks = 3});
  some.check({.length = 2, .blocks = 5});
}

TEST(Contexts, WhatCannotBeIsRefusedWithItsValues) {
  const Numbers two = {1, 2}, three = {1, 2, 3}, bad = {1, nan}, worse = {0, 0, -infinity, 1};
  const std::vector<std::uint32_t> nobody, blocks = {0, 3};
  struct Case {
    std::function<void()> call;
    const char* message;
  };
  const Case cases[] = {
      {[&] { Contexts::per_arm(two, 0); }, "at least one arm"},
      {[&] { Contexts::disjoint(two, std::size_t{0}); }, "at least one arm"},
      {[&] { Contexts::disjoint(two, nobody); }, "at least one arm"},
      {[&] { Contexts().check({.length = 2}); }, "at least one arm"},
      {[&] { Contexts::per_arm(three, 2); }, "3 numbers cannot be shared evenly by 2 arms"},
      {[&] { Contexts::per_arm(three, 1).check({.length = 2}); },
       "the context of arm 0 has 3 numbers, the policy was made for 2"},
      {[&] { Contexts::disjoint(three, 2).check({.length = 2, .blocks = 2}); },
       "the shared context has 3 numbers"},
      {[&] { Contexts::disjoint(two, 3).check({.length = 2, .blocks = 2}); },
       "arm 2 stands in block 2, the policy was made for 2"},
      {[&] { Contexts::disjoint(two, blocks).check({.length = 2, .blocks = 3}); }, "arm 1 stands in block 3"},
      {[&] { Contexts::disjoint(bad, 2).check({.length = 2, .blocks = 2}); },
       "is not finite: number 1 is nan"},
      {[&] { Contexts::per_arm(worse, 2).check({.length = 2}); }, "arm 1 is not finite: number 0 is -inf"},
      {[&] {
         check_slice({three, 0}, {.length = 2});
       },
       "has 3 numbers"},
      {[&] {
         check_slice({two, 1}, {.length = 2});
       },
       "stands in block 1"},
      {[&] {
         check_slice({bad, 0}, {.length = 2});
       },
       "is not finite: number 1 is nan"},
  };
  for (const auto& c : cases) EXPECT_THAT(error_text<ContractError>(c.call), HasSubstr(c.message));
}

TEST(Contexts, NumbersUpToTheLimitAreTakenAndTheNextOneNamesIt) {
  const double next = std::nextafter(largest_number, infinity);
  for (const double sign : {1., -1.}) {
    const Numbers most(64, sign * largest_number);
    Contexts::per_arm(most, 2).check({.length = 32});
    check_reward(sign * largest_number);
    Numbers more = most;
    more[33] = sign * next;
    EXPECT_THAT(error_text<ContractError>([&] { Contexts::per_arm(more, 2).check({.length = 32}); }),
                HasSubstr("the context of arm 1 is too large: number 1 is"));
    EXPECT_THAT(error_text<ContractError>([&] { check_reward(sign * next); }), HasSubstr("a reward is too large"));
  }
  EXPECT_THAT(error_text<ContractError>([] { check_reward(nan); }), HasSubstr("a reward is not finite: nan"));
}

}  // namespace
}  // namespace neuralts
