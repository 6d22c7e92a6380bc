#include "model/neural_belief.hpp"

#include <gtest/gtest.h>

#include "model/random_network.hpp"
#include "model/trainer.hpp"

namespace neuralts {
namespace {

NeuralSettings settings_for(const Shape& shape) {
  NeuralSettings s;
  s.shape = {.input = shape, .units = 10, .depth = 2, .biases = true, .scale = std::sqrt(10.0)};
  s.design_width = {.shape = s.shape, .lambda = 0.5, .normaliser = 10};
  s.trainer = {.optimiser = Optimiser::adam, .step = 0.01, .iterations = 20, .decay = 1};
  return s;
}

struct Said {
  std::vector<double> mean, width;
  bool operator==(const Said&) const = default;
};

template <class T>
Said ask(const NeuralBelief<T>& belief, const Contexts& contexts) {
  Said said{std::vector<double>(contexts.arms()), std::vector<double>(contexts.arms())};
  Scratch scratch;
  belief.predictor().predict(contexts, scratch, said.mean, said.width);
  return said;
}

// Disjoint contexts are per-arm vectors with zeros: the slice and the padded K d vector give the same belief.
TEST(NeuralBelief, ADisjointSliceEqualsThePaddedVector) {
  const std::size_t d = 3, K = 4;
  NeuralSettings sliced = settings_for({d, K}), padded = settings_for({d * K, 1});
  sliced.seed = padded.seed = 9;
  for (const auto kind : {PosteriorKind::exact, PosteriorKind::diagonal}) {
    sliced.posterior = padded.posterior = kind;
    NeuralBelief<double> a(sliced), b(padded);
    Stream stream(1, Purpose::environment);
    for (int round = 0; round < 30; ++round) {
      std::vector<double> x(d), wide(K * K * d, 0.0);
      for (double& value : x) value = stream.normal();
      for (std::size_t k = 0; k < K; ++k)
        std::copy(x.begin(), x.end(), wide.begin() + static_cast<std::ptrdiff_t>(k * K * d + k * d));
      const Contexts slices = Contexts::disjoint(x, K), rows = Contexts::per_arm(wide, K);
      const Said first = ask(a, slices), second = ask(b, rows);
      for (std::size_t k = 0; k < K; ++k) {
        EXPECT_NEAR(first.mean[k], second.mean[k], 1e-8);
        EXPECT_NEAR(first.width[k], second.width[k], 1e-8);
      }
      const std::size_t arm = stream.below(K);
      const double reward = stream.normal();
      const Finished narrow{slices[arm], reward}, broad{rows[arm], reward};
      learn(a, std::span(&narrow, 1));
      learn(b, std::span(&broad, 1));
    }
  }
}

TEST(NeuralBelief, TheUnitsOfInputsAndRewardsDoNotMatterOnceStandardised) {
  NeuralSettings s = settings_for({4, 1});
  s.standardise = {.inputs = true, .rewards = true};
  s.calibrate = true;
  Stream stream(2, Purpose::environment);
  const std::vector<double> unit = {1e-4, 1, 1e3, 30};
  std::vector<double> shift(4);
  double reward_shift = 0;
  // Before the first statistics numbers pass as they are: the first round is the same in both units, all others
  // are not.
  s.trainer.warm = false;
  NeuralBelief<double> a(s), b(s);
  for (int round = 0; round < 64; ++round) {
    std::vector<double> x(4), y(4);
    for (std::size_t i = 0; i < 4; ++i) {
      x[i] = stream.normal();
      if (round == 0) shift[i] = (1 - unit[i]) * x[i];
      y[i] = shift[i] + unit[i] * x[i];
    }
    const double reward = x[0] * x[1] + 0.1 * stream.normal();
    if (round == 0) reward_shift = (1 - 100) * reward;
    const Contexts first = Contexts::per_arm(x, 1), second = Contexts::per_arm(y, 1);
    const Finished here{first[0], reward}, there{second[0], 100 * reward + reward_shift};
    if (round == 63) {
      const Said here_now = ask(a, first), there_now = ask(b, second);
      EXPECT_NEAR(there_now.mean[0], 100 * here_now.mean[0] + reward_shift, 1e-3);
      EXPECT_GT(here_now.width[0], 0);
      EXPECT_NEAR(there_now.width[0], 100 * here_now.width[0], 1e-3);
    }
    learn(a, std::span(&here, 1));
    learn(b, std::span(&there, 1));
  }
}

TEST(NeuralBelief, PlayedOrRewardedGrowsTheWidth) {
  std::vector<double> x = {0.6, 0.8};
  const Contexts contexts = Contexts::per_arm(x, 1);
  const Finished round{contexts[0], 1.0};
  for (const Design design : {Design::played, Design::rewarded}) {
    NeuralSettings s = settings_for({2, 1});
    s.design = design;
    Schedule::parse("never", s.schedule);
    NeuralBelief<double> belief(s);
    const double before = ask(belief, contexts).width[0];
    belief.played(contexts[0]);
    const double played = ask(belief, contexts).width[0];
    learn(belief, std::span(&round, 1));
    const double learned = ask(belief, contexts).width[0];
    EXPECT_EQ(played < before, design == Design::played);
    EXPECT_EQ(learned < played, design == Design::rewarded);
  }
}

TEST(NeuralBelief, TheDoublingTrickForgetsAtPowersOfTwo) {
  NeuralSettings s = settings_for({2, 1});
  s.doubling = true;
  NeuralBelief<double> belief(s);
  std::vector<double> x = {0.6, 0.8};
  const Contexts contexts = Contexts::per_arm(x, 1);
  const Finished round{contexts[0], 1.0};
  const Said fresh = ask(belief, contexts);
  std::vector<int> starts;  // rounds that are decided as the first one is
  for (int t = 1; t <= 40; ++t) {
    if (ask(belief, contexts) == fresh) starts.push_back(t);
    learn(belief, std::span(&round, 1));
  }
  EXPECT_EQ(starts, (std::vector<int>{1, 2, 4, 8, 16, 32}));
}

TEST(NeuralBelief, ABatchOfRewardsIsOneTraining) {
  NeuralSettings s = settings_for({2, 1});
  NeuralBelief<double> batched(s), single(s);
  std::vector<double> x = {0.6, 0.8, 0.8, -0.6};
  const Contexts contexts = Contexts::per_arm(x, 2);
  const std::vector<Finished> rounds = {{contexts[0], 1.0}, {contexts[1], -1.0}};
  learn(batched, rounds);
  const double once = ask(batched, contexts).mean[0];
  learn(single, std::span(rounds).first(1));
  learn(single, std::span(rounds).last(1));
  EXPECT_NE(once, ask(single, contexts).mean[0]);
}

}  // namespace
}  // namespace neuralts
