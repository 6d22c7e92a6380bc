// A bounded history: what stays, what it counts for, and that nothing else changes.
#include "model/kept_rounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "model/ensemble.hpp"
#include "model/observations.hpp"
#include "model/stacked_belief.hpp"
#include "model/predict.hpp"
#include "model/trainer.hpp"

namespace neuralts {
namespace {

constexpr Shape shape{.length = 3, .blocks = 2};

// Rounds are told apart by their reward, which is their number.
Finished round_of(std::size_t i, std::vector<double>& x) {
  Stream stream(i + 1, Purpose::environment);
  x = random_numbers(stream, shape.length);
  return {{x, i % 5 == 0 ? 1u : 0u}, static_cast<double>(i)};
}

std::vector<std::size_t> numbers_in(const History<float>& history) {
  std::vector<std::size_t> all;
  for (const auto& block : history.blocks())
    for (const float reward : block.rewards) all.push_back(static_cast<std::size_t>(reward));
  std::sort(all.begin(), all.end());
  return all;
}

// Room for `rooms` rounds of float without a standardiser: (3 + 1 + 2) * 4 + 8 bytes each.
KeepSettings room_for(std::size_t rooms) { return {.memory = 32 * rooms}; }

TEST(KeptRounds, TheRecentHalfAndASampleThatCountsForAllOthers) {
  std::vector<double> x;
  Observations<float> seen({}, shape, room_for(100), 7);
  for (std::size_t i = 0; i < 1000; ++i) {
    seen.append(round_of(i, x));
    if (!seen.full()) continue;
    seen.retain({});
    const auto numbers = numbers_in(seen.history());
    ASSERT_EQ(numbers.size(), 100u);
    for (std::size_t back = 0; back < 50; ++back) ASSERT_EQ(numbers[99 - back], i - back);
    EXPECT_NEAR(seen.total_weight(), static_cast<double>(i + 1), 1e-3 * static_cast<double>(i));
  }
  EXPECT_LE(seen.history().size(), 113u);
  EXPECT_EQ(seen.seen(), 1000u);
}

// Taking rounds out in steps or at once leaves the same ones: the sample is one of all older rounds at any
// time.
TEST(KeptRounds, TheSampleDoesNotDependOnWhenRoundsLeft) {
  std::vector<double> x;
  Observations<float> often({}, shape, room_for(100), 7), once({}, shape, room_for(100), 7);
  for (std::size_t i = 0; i < 700; ++i) {
    often.append(round_of(i, x));
    once.append(round_of(i, x));
    if (often.full()) often.retain({});
  }
  often.retain({});
  once.retain({});
  EXPECT_EQ(numbers_in(often.history()), numbers_in(once.history()));
  EXPECT_EQ(often.weights(), once.weights());
}

// Over 400 seeds an older round stays with chance 50 / 950: the count of the first hundred has mean 400 * 100
// * 50 / 950 = 2105 and a standard deviation below sqrt(2105) = 46, also when the draws within a seed exclude
// each other: five of them.
TEST(KeptRounds, OlderRoundsAreKeptWithEqualChances) {
  std::size_t count = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    KeptRounds kept(1, 100, seed * 1000);
    for (std::size_t i = 0; i < 1000; ++i) kept.reserve(0, 1), kept.added(0);
    const auto stays = kept.select({});
    for (const std::uint32_t row : stays[0].rows) count += row < 100;
  }
  EXPECT_NEAR(static_cast<double>(count), 400.0 * 100 * 50 / 950, 5 * 46);
}

TEST(KeptRounds, MemoryIsFlat) {
  std::vector<double> x;
  Observations<float> seen({.inputs = true, .rewards = true}, shape, {.memory = 100'000}, 7);
  std::size_t largest = 0;
  for (std::size_t i = 0; i < 30'000; ++i) {
    seen.append(round_of(i, x));
    if (seen.full()) seen.retain({});
    if (i >= 15'000) largest = std::max(largest, seen.memory());
  }
  // An eighth above the bound before rounds leave, an eighth more reserved, and exact-sized lists beside.
  EXPECT_LE(largest, 100'000u * 9 / 8 * 9 / 8 * 11 / 10);
  EXPECT_GT(largest, 50'000u);
}

NeuralSettings small_network(std::size_t bytes) {
  NeuralSettings settings;
  settings.shape = {.input = shape, .units = 4, .depth = 2, .biases = true, .scale = 2};
  settings.trainer = {.optimiser = Optimiser::adam,
                      .step = 0.01,
                      .iterations = 3,
                      .batch = 8,
                      .keep_moments = true,
                      .decay = 0.1};
  Schedule::parse("every:1", settings.schedule);
  settings.standardise = {.inputs = true, .rewards = true};
  settings.posterior = PosteriorKind::diagonal;
  settings.design_width = {.shape = settings.shape, .lambda = 0.3, .normaliser = 4};
  settings.averaging = 0.01;
  settings.refresh = true;
  settings.keep.memory = bytes;
  return settings;
}

std::vector<char> bytes_of(const Belief& belief) {
  Writer out;
  belief.save(out);
  return out.bytes();
}

// Before the bound is met nothing is different; beyond it, and in every state, loading continues bit for bit.
template <class Make>
void expect_bounded(const Make& make) {
  std::vector<double> x;
  const auto bounded = make(48 * 40), unbounded = make(0);
  for (std::size_t i = 0; i < 200; ++i) {
    Finished round = round_of(i, x);
    round.reward = std::sin(round.reward);
    const auto copy = make(48 * 40);
    const auto before = bytes_of(*bounded);
    Reader in(before, "test");
    copy->load(in);
    ASSERT_TRUE(in.at_end());
    learn(*bounded, round);
    learn(*copy, round);
    ASSERT_EQ(bytes_of(*bounded), bytes_of(*copy)) << i;
    if (i >= 40) continue;
    learn(*unbounded, round);
    const auto contexts = Contexts::disjoint(x, 2);
    EXPECT_EQ(predict(*bounded, contexts).mean, predict(*unbounded, contexts).mean) << i;
    EXPECT_EQ(predict(*bounded, contexts).width, predict(*unbounded, contexts).width) << i;
  }
}

TEST(KeptRounds, ANetworkGoesOnBitForBitInEveryState) {
  expect_bounded(
      [](std::size_t bytes) { return std::make_unique<NeuralBelief<float>>(small_network(bytes)); });
}

TEST(KeptRounds, ANetworkBesideRidgesGoesOnBitForBitInEveryState) {
  expect_bounded(
      [](std::size_t bytes) { return std::make_unique<StackedBelief<float>>(small_network(bytes)); });
}

// What was said of a reward stays with its round.
TEST(KeptRounds, WhatWasSaidBeyondALineGoesWithItsRound) {
  constexpr std::size_t length = 1;
  Observations<double> observations({}, {.length = length, .blocks = 1}, {.memory = 2000}, 1, true);
  double x = 0;
  std::size_t rounds = 0;
  for (; !observations.full(); ++rounds) observations.append({{{&x, 1}}, static_cast<double>(rounds)}, 10.0 * static_cast<double>(rounds));
  observations.retain({});
  const auto& block = observations.history().blocks()[0];
  ASSERT_LT(block.rows(), rounds);
  ASSERT_EQ(block.beyond.size(), block.rows());
  for (std::size_t row = 0; row < block.rows(); ++row) EXPECT_EQ(block.beyond[row], 10 * block.rewards[row]);
}

TEST(KeptRounds, MembersOfABootstrapGoOnBitForBitInEveryState) {
  expect_bounded([](std::size_t bytes) {
    NeuralSettings settings = small_network(bytes);
    return std::make_unique<Ensemble<float>>(EnsembleSettings{settings, 3, 0.7});
  });
}

}  // namespace
}  // namespace neuralts
