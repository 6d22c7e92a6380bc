#include "neuralts/event.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace neuralts {
namespace {

Event sound() {
  Event event;
  event.set_arms(2);
  event.arm = 1;
  event.probabilities = {0.25, 0.75};
  event.offer.numbers = {1, 2, 3, 4};
  event.offer.length = 2;
  return event;
}

TEST(Event, ASoundOneHasNoProblem) {
  EXPECT_EQ(problem_of(sound()), std::nullopt);
  Event shared = sound();
  shared.offer.numbers = {1, 2};
  shared.offer.blocks = {0, 5};
  EXPECT_EQ(problem_of(shared), std::nullopt);
  EXPECT_EQ(shared.offer.contexts()[1].block, 5u);
  Event one = sound();
  one.probabilities = {0.3};
  EXPECT_EQ(problem_of(one), std::nullopt);
  EXPECT_EQ(one.probability(), 0.3);
}

TEST(Event, WhatIsWrongIsSaid) {
  struct Case {
    void (*spoil)(Event&);
    const char* text;
  };
  const Case cases[] = {
      {[](Event& e) { e.set_arms(0); }, "offers no arm"},
      {[](Event& e) { e.arm = 2; }, "arm 2 was not among the 2"},
      {[](Event& e) { e.probabilities = {0.5, 0.6}; }, "sum to 1.1"},
      {[](Event& e) { e.probabilities = {1.5, -0.5}; }, "not from 0 to 1"},
      {[](Event& e) { e.probabilities = {1, 0}; }, "was played is 0"},
      {[](Event& e) { e.probabilities = {0.2, 0.3, 0.5}; }, "3 probabilities for 2 arms"},
      {[](Event& e) { e.probabilities = {NAN, 1}; }, "not from 0 to 1"},
      {[](Event& e) { e.offer.numbers.pop_back(); }, "same length"},
      {[](Event& e) { e.offer.numbers[0] = INFINITY; }, "not a finite"},
      {[](Event& e) { e.offer.blocks = {1}; e.offer.numbers = {1, 2}; }, "1 blocks for 2 arms"},
      {[](Event& e) { e.actions = {"a"}; }, "1 action ids for 2"},
      {[](Event& e) { e.offer.objects.start_row(); }, "0 actions with features for 2"},
      {[](Event& e) { e.kept = 0; }, "share of events kept is 0"},
      {[](Event& e) { e.reward = NAN; }, "reward is not"},
  };
  for (const auto& [spoil, text] : cases) {
    Event event = sound();
    spoil(event);
    const auto problem = problem_of(event);
    ASSERT_TRUE(problem) << text;
    EXPECT_THAT(*problem, testing::HasSubstr(text));
  }
}

TEST(Event, ClearGivesAFreshOne) {
  Event event = sound();
  event.reward = 1;
  event.clear();
  EXPECT_EQ(event.arms(), 0u);
  EXPECT_FALSE(event.reward || event.offer.has_numbers() || event.offer.has_objects());
}

}  // namespace
}  // namespace neuralts
