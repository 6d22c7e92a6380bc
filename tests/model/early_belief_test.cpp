// The default belief while a kernel speaks in it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/stacked.hpp"

namespace neuralts {
namespace {

// As `kernel-ucb` has it, without an intercept.
StandardisedBelief<KernelBelief> kernel_alone(const Shape& shape) {
  StandardisedSettings settings{.shape = shape, .standardise = {}};
  settings.standardise.inputs = settings.standardise.rewards = true;
  return {settings, KernelBelief(shape, {})};
}

Finished noisy_round(Stream& stream, std::vector<double>& x, std::size_t columns = 3) {
  x = random_numbers(stream, columns);
  const std::size_t arm = stream.below(2);
  return {{x, arm}, (arm == 0 ? x[0] : x[1]) + 0.3 * stream.normal()};
}

// Whose belief it is: in the first rounds of many columns hardly anything else is heard. Arms differ by what contexts
// tell, so that nobody believes a constant.
TEST(EarlyBelief, AtFirstItBelievesWhatContextsLikeThisOnePaid) {
  constexpr Shape shape{12, 2};
  StackedBelief<double> belief(belief_with_an_early_kernel(shape));
  auto kernel = kernel_alone(shape);
  Stream stream(7, Purpose::environment);
  std::vector<double> x;
  for (int round = 0; round < 24; ++round) {
    const Finished finished = noisy_round(stream, x, shape.length);
    learn(belief, finished);
    kernel.observe({&finished, 1});
  }
  ASSERT_EQ(belief.predictor().shares().front(), 0);
  x = random_numbers(stream, shape.length);
  const Contexts contexts = Contexts::disjoint(x, 2);
  const Prediction said = predict(belief, contexts), expected = predict(kernel, contexts);
  const double least = std::min(expected.width[0], expected.width[1]);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(said.mean[k], expected.mean[k], 1e-3);
    EXPECT_NEAR(said.width[k], expected.width[k] - 0.98 * least, 1e-3);
  }
}

// The other's widths are heard by half of what they differ by, so that an action that paid nothing at first is not given up
// for good.
TEST(EarlyBelief, AtFirstItBelievesWhatActionsLikeThisOnePaid) {
  StackedBelief<double> belief(belief_of_columns(true)), others(belief_of_columns(false));
  auto kernel = kernel_alone({4, 1});
  Stream stream(7, Purpose::environment);
  for (int round = 0; round < 90; ++round) {
    const auto numbers = two_actions(random_numbers(stream, 2));
    const std::size_t arm = stream.below(2);
    const Finished finished{Contexts::per_arm(numbers, 2)[arm], numbers[arm] + 0.3 * stream.normal()};
    for (Belief* one : {static_cast<Belief*>(&belief), static_cast<Belief*>(&others)}) learn(*one, finished);
    kernel.observe({&finished, 1});
  }
  const auto numbers = two_actions(random_numbers(stream, 2));
  const Contexts contexts = Contexts::per_arm(numbers, 2);
  const Prediction said = predict(belief, contexts), expected = predict(kernel, contexts), other = predict(others, contexts);
  const auto beyond = [](const Prediction& of, std::size_t k) {
    return of.width[k] - 0.98 * std::min(of.width[0], of.width[1]);
  };
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(said.mean[k], expected.mean[k], 1e-2);
    EXPECT_NEAR(said.width[k], std::hypot(beyond(expected, k), 0.5 * beyond(other, k)), 1e-2);
  }
}

// Contexts that differ in all columns say of no action that it is the same again.
TEST(EarlyBelief, WhereContextsHaveNothingInCommonNoKernelSpeaks) {
  StackedBelief<double> with(belief_of_columns(true)), without(belief_of_columns(false));
  Stream stream(7, Purpose::environment);
  for (int round = 0; round < 60; ++round) {
    const auto numbers = random_numbers(stream, 8);
    const Contexts contexts = Contexts::per_arm(numbers, 2);
    const Prediction here = predict(with, contexts), there = predict(without, contexts);
    EXPECT_EQ(here.mean, there.mean);
    EXPECT_EQ(here.width, there.width);
    const Finished finished{contexts[0], numbers[0] + 0.3 * stream.normal()};
    learn(with, finished);
    learn(without, finished);
  }
}

// A one in the column of the action is a name, and what is like it is the same action; by a size all actions learn from
// each other. Two numbers may be either.
TEST(EarlyBelief, WhereASizeTellsActionsApartNoKernelSpeaks) {
  const auto early_says = [](std::span<const double> by_column) {  // the third, of each action
    StackedBelief<double> with(belief_of_columns(true)), without(belief_of_columns(false));
    Stream stream(7, Purpose::environment);
    bool other = false;
    for (int round = 0; round < 40; ++round) {
      const auto x = random_numbers(stream, 2);
      std::vector<double> numbers;
      for (const double told : by_column) numbers.insert(numbers.end(), {x[0], x[1], told, 0.5});
      const Contexts contexts = Contexts::per_arm(numbers, by_column.size());
      other = other || predict(with, contexts).mean != predict(without, contexts).mean;
      const std::size_t arm = stream.below(by_column.size());
      const Finished finished{contexts[arm], x[0] * by_column[arm] + 0.3 * stream.normal()};
      learn(with, finished);
      learn(without, finished);
    }
    return other;
  };
  EXPECT_FALSE(early_says(std::array{0.1, 0.2, 0.3}));
  EXPECT_TRUE(early_says(std::array{0.1, 0.2, 0.2}));
  EXPECT_TRUE(early_says(std::array{0.1, 0.2}));
}

TEST(EarlyBelief, AfterFourHundredRoundsTheEarlyKernelHasLeftNothingBehind) {
  StackedBelief<double> with(belief_with_an_early_kernel()), without(small_belief());
  Stream stream(8, Purpose::environment);
  std::vector<double> x;
  for (int round = 0; round < 401; ++round) {
    const Finished finished = noisy_round(stream, x);
    learn(with, finished);
    learn(without, finished);
  }
  const Contexts contexts = Contexts::disjoint(x, 2);
  const Prediction here = predict(with, contexts), there = predict(without, contexts);
  EXPECT_EQ(here.mean, there.mean);
  EXPECT_EQ(here.width, there.width);
  EXPECT_EQ(with.memory(), without.memory());
}

// What was said is said on, whatever is learned meanwhile; saved and read as well.
TEST(EarlyBelief, ASnapshotWithAnEarlyKernelStaysAsItIs) {
  StackedBelief<double> belief(belief_with_an_early_kernel());
  Stream stream(9, Purpose::environment);
  std::vector<double> x;
  for (int round = 0; round < 30; ++round) learn(belief, noisy_round(stream, x));
  const std::vector<double> asked = random_numbers(stream, 3);
  const Contexts contexts = Contexts::disjoint(asked, 2);
  const Prediction before = predict(belief, contexts);
  const auto snapshot = belief.snapshot();
  Writer out;
  snapshot->save(out);
  for (int round = 0; round < 30; ++round) learn(belief, noisy_round(stream, x));
  Reader in(out.bytes(), "predictor");
  const auto read = belief.read_predictor(in);
  EXPECT_TRUE(in.at_end());
  for (const auto* one : {snapshot.get(), read.get()}) {
    Prediction said{std::vector<double>(2), std::vector<double>(2)};
    Scratch scratch;
    one->predict(contexts, scratch, said.mean, said.width);
    EXPECT_EQ(said.mean, before.mean);
    EXPECT_EQ(said.width, before.width);
  }
}

}  // namespace
}  // namespace neuralts
