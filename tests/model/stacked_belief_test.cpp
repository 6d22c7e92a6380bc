#include "model/stacked_belief.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/predict.hpp"

namespace neuralts {
namespace {

NeuralSettings small_belief() {
  NeuralSettings s;
  s.shape = {.input = {3, 2}, .units = 8, .depth = 2, .biases = true, .scale = std::sqrt(8.0)};
  s.design_width = {.shape = s.shape, .lambda = 0.3, .normaliser = 8};
  s.posterior = PosteriorKind::diagonal;
  s.trainer = {.optimiser = Optimiser::adam, .step = 0.005, .iterations = 2, .batch = 16, .keep_moments = true, .decay = 2.4};
  s.standardise = {.inputs = true, .rewards = true, .growth = 1.3};
  s.averaging = 0.01;
  s.refresh = true;
  return s;
}

void learn(Belief& belief, const Finished& round) {
  belief.observe(std::span(&round, 1));
  if (!belief.training_due()) return;
  std::vector<TrainJob> jobs;
  belief.prepare_training(jobs);
  ASSERT_TRUE(processor_engine().train(jobs, {}));
  belief.finish_training();
}

// The first column is 0 or a half and the reward falls along it; at the clip, beyond what was seen, a line says
// 3.5.
TEST(StackedBelief, ForecastsNothingWorseThanTheWorstRewardSeen) {
  StackedBelief<double> belief(small_belief());
  Stream stream(4, Purpose::environment);
  for (int round = 0; round < 80; ++round) {
    const std::vector<double> x = {0.5 * static_cast<double>(stream.below(2)), stream.uniform(), stream.uniform()};
    learn(belief, {Contexts::disjoint(x, 2)[round % 2], 5 - 2 * x[0]});
  }
  const std::vector<double> beyond = {9, 0.5, 0.5}, within = {0, 0.5, 0.5};
  for (const double mean : predict(belief, Contexts::disjoint(beyond, 2)).mean) EXPECT_NEAR(mean, 4, 1e-9);
  for (const double mean : predict(belief, Contexts::disjoint(within, 2)).mean) EXPECT_NEAR(mean, 5, 0.2);
}

// Contexts of two actions that have two columns in common and one each.
std::vector<double> two_actions(std::span<const double> x) { return {x[0], x[1], 1, 0, x[0], x[1], 0, 1}; }

// Saved and loaded in the middle.
void expect_to_go_on_the_same(const NeuralSettings& s) {
  StackedBelief<float> a(s), b(s);
  Stream stream(5, Purpose::environment);
  for (int round = 0; round < 60; ++round) {
    const auto x = random_numbers(stream, s.shape.input.length);
    const auto columns = two_actions(x);
    const Contexts contexts = s.shape.input.blocks > 1 ? Contexts::disjoint(x, 2) : Contexts::per_arm(columns, 2);
    const Finished finished{contexts[stream.below(2)], x[0] - 0.3 * x[1]};
    learn(a, finished);
    if (round == 30) {
      Writer out;
      a.save(out);
      Reader in(out.bytes(), "belief");
      b.load(in);
    } else if (round > 30) {
      learn(b, finished);
      const Prediction here = predict(a, contexts), there = predict(b, contexts);
      EXPECT_EQ(here.mean, there.mean);
      EXPECT_EQ(here.width, there.width);
    }
  }
}

// Too many columns for a curve.
NeuralSettings belief_with_a_kernel() {
  NeuralSettings s = small_belief();
  s.shape.input.length = 30;
  s.design_width.shape = s.shape;
  s.kernel = true;
  return s;
}

NeuralSettings belief_with_bends() {
  NeuralSettings s = small_belief();
  s.bends = true;
  return s;
}

NeuralSettings belief_with_an_early_kernel() {
  NeuralSettings s = small_belief();
  s.early = true;
  return s;
}

// Of two_actions().
NeuralSettings belief_of_columns(bool early) {
  NeuralSettings s = small_belief();
  s.shape.input = {4, 1};
  s.design_width.shape = s.shape;
  s.early = early;
  return s;
}

TEST(StackedBelief, SavedAndLoadedGoesOnTheSame) {
  expect_to_go_on_the_same(small_belief());
  expect_to_go_on_the_same(belief_with_a_kernel());
  expect_to_go_on_the_same(belief_with_bends());
  expect_to_go_on_the_same(belief_with_an_early_kernel());
  expect_to_go_on_the_same(belief_of_columns(true));
}

// As `kernel-ucb` has it, without an intercept.
StandardisedBelief<KernelBelief> kernel_alone(const Shape& shape) {
  StandardisedSettings settings{.shape = shape, .standardise = {}};
  settings.standardise.inputs = settings.standardise.rewards = true;
  return {settings, KernelBelief(shape, {})};
}

Finished noisy_round(Stream& stream, std::vector<double>& x) {
  x = random_numbers(stream, 3);
  const std::size_t arm = stream.below(2);
  return {{x, arm}, (arm == 0 ? x[0] : x[1]) + 0.3 * stream.normal()};
}

// Whose belief it is: in the first rounds hardly anything else is heard. Arms differ by what contexts tell, so
// that nobody believes a constant.
TEST(StackedBelief, AtFirstItBelievesWhatContextsLikeThisOnePaid) {
  StackedBelief<double> belief(belief_with_an_early_kernel());
  auto kernel = kernel_alone({3, 2});
  Stream stream(7, Purpose::environment);
  std::vector<double> x;
  for (int round = 0; round < 24; ++round) {
    const Finished finished = noisy_round(stream, x);
    learn(belief, finished);
    kernel.observe({&finished, 1});
  }
  ASSERT_EQ(belief.predictor().shares().front(), 0);
  x = random_numbers(stream, 3);
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
TEST(StackedBelief, AtFirstItBelievesWhatActionsLikeThisOnePaid) {
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

// An action never played is tried beside one that is known, and not for being as unknown as all others offered.
TEST(StackedBelief, WhatIsUnknownOfAllActionsMakesNoneRare) {
  StackedBelief<double> belief(belief_of_columns(false));
  Stream stream(7, Purpose::environment);
  for (int round = 0; round < 60; ++round) {
    const auto numbers = two_actions(random_numbers(stream, 2));
    learn(belief, {Contexts::per_arm(numbers, 2)[0], numbers[0] + 0.3 * stream.normal()});
  }
  const std::vector<double> known_and_new = two_actions(std::array{0.1, 0.2}), two_new{0.1, 0.2, 0, 1, 0.1, 0.2, 0, 1};
  const Prediction beside = predict(belief, Contexts::per_arm(known_and_new, 2)),
                   alike = predict(belief, Contexts::per_arm(two_new, 2));
  EXPECT_EQ(beside.mean[1], alike.mean[1]);
  EXPECT_GT(beside.width[1], 1.1 * alike.width[1]);
}

// What a kernel, a line or a network says of contexts that never differ is what the arm's mean says; who tries arms by
// their means alone decides. A context that differs ends it, with the next scale.
TEST(StackedBelief, WhereContextsNeverDifferTheConstantDecides) {
  StackedBelief<double> belief(belief_with_an_early_kernel());
  Stream stream(7, Purpose::environment);
  const auto round = [&](double x, std::size_t arm) {
    const std::vector<double> numbers(3, x);
    learn(belief, {{numbers, arm}, static_cast<double>(arm) + 0.3 * stream.normal()});
  };
  const auto constants_share = [&] { return belief.predictor().shares().front(); };
  for (std::size_t t = 0; t < 20; ++t) round(7, t % 2);
  EXPECT_EQ(constants_share(), 1);
  const std::vector<double> numbers(3, 7.0);
  const Prediction said = predict(belief, Contexts::disjoint(numbers, 2));
  EXPECT_GT(said.mean[1] - said.mean[0], 0.5);
  for (std::size_t t = 0; t < 20; ++t) round(t % 3 == 0 ? 9 : 7, t % 2);
  EXPECT_LT(constants_share(), 1);
}

// Contexts name one of four groups, in each of which the second arm was given up after four rounds. Beside the first arm,
// which was played two hundred times there, it is wider than alone; hardly so where rewards are no noise.
TEST(StackedBelief, AnArmGivenUpForSuchContextsIsWide) {
  const auto wider = [](double noise) {
    NeuralSettings settings = small_belief();
    settings.shape.input = {4, 2};
    settings.design_width.shape = settings.shape;
    StackedBelief<double> belief(settings);
    Stream stream(7, Purpose::environment);
    for (std::size_t t = 0; t < 800; ++t) {
      const std::size_t group = t % 4, arm = t < 32 ? t / 4 % 2 : 0;
      std::vector<double> x(4, 0.0);
      x[group] = 1;
      learn(belief, {{x, arm}, ((group + arm) % 2 == 0 ? 1 : 0) + noise * stream.normal()});
    }
    const std::vector<double> first{1, 0, 0, 0};
    const std::array<std::uint32_t, 1> second{1};
    return predict(belief, Contexts::disjoint(first, 2)).width[1] /
           predict(belief, Contexts::disjoint(first, second)).width[0];
  };
  EXPECT_GT(wider(1), 1.2);
  EXPECT_GE(wider(0.1), 1);
  EXPECT_LT(wider(0.1), 1.05);
}

// Contexts that differ in all columns say of no action that it is the same again.
TEST(StackedBelief, WhereContextsHaveNothingInCommonNoKernelSpeaks) {
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
TEST(StackedBelief, WhereASizeTellsActionsApartNoKernelSpeaks) {
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

// Of forty arms the first always paid and nine did not; the others were never played. Of three arms nobody is taken for
// what arms are on average.
TEST(StackedBelief, OfManyArmsWhoWasNeverPlayedIsForecastBelowTheAverageRound) {
  const auto never_played = [](std::size_t arms) {
    NeuralSettings settings = small_belief();
    settings.shape.input.blocks = arms;
    settings.design_width.shape = settings.shape;
    StackedBelief<double> belief(settings);
    Stream stream(7, Purpose::environment);
    double sum = 0;
    for (std::size_t t = 0; t < 60; ++t) {
      const std::size_t arm = t % 6 == 0 ? 1 + t / 6 % std::min<std::size_t>(arms - 2, 9) : 0;
      const double reward = (arm == 0 ? 1 : 0) + 0.1 * stream.normal();
      sum += reward;
      const auto x = random_numbers(stream, 3);
      learn(belief, {{x, arm}, reward});
    }
    const std::vector<double> x = {0.1, 0.2, 0.3};
    return predict(belief, Contexts::disjoint(x, arms)).mean.back() - sum / 60;
  };
  EXPECT_LT(never_played(40), -0.2);
  EXPECT_NEAR(never_played(3), 0, 0.05);
}

TEST(StackedBelief, AfterFourHundredRoundsTheEarlyKernelHasLeftNothingBehind) {
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
TEST(StackedBelief, ASnapshotWithAnEarlyKernelStaysAsItIs) {
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

// Two kinds of contexts, far from each other in all of 30 columns together and in none alone; an arm pays for one
// of them. A line would need as many rounds as there are columns.
TEST(StackedBelief, AKernelForecastsWhatContextsLikeThisOnePaid) {
  StackedBelief<float> belief(belief_with_a_kernel());
  ASSERT_TRUE(belief.predictor().exact().kernel.speaks());
  Stream stream(6, Purpose::environment);
  std::array<std::vector<double>, 2> kinds;
  for (auto& kind : kinds) kind = random_numbers(stream, 30);
  const auto like = [&](std::size_t kind) {
    auto x = random_numbers(stream, 30);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = kinds[kind][i] + 0.3 * x[i];
    return x;
  };
  for (std::size_t round = 0; round < 40; ++round) {
    const auto x = like(round / 2 % 2);
    learn(belief, {Contexts::disjoint(x, 2)[round % 2], round / 2 % 2 == round % 2 ? 1.0 : 0.0});
  }
  Scratch scratch;
  for (std::size_t kind = 0; kind < 2; ++kind) {
    const auto x = like(kind);
    for (std::uint32_t arm = 0; arm < 2; ++arm) {
      const auto said = belief.predictor().say(Contexts::disjoint(x, std::span(&arm, 1)), false, scratch);
      EXPECT_GT(said.forecasts[Stacking::curve] * (arm == kind ? 1 : -1), 0.5);
    }
  }
}

// A column holds the number of one of nine kinds, in no order, and so does another: what a reward has of each is neither
// straight nor a product. A sure forecast has a squared error of next to nothing, one of the mean 1.
TEST(StackedBelief, BendsForecastWhatAddsUpColumnByColumn) {
  StackedBelief<float> belief(belief_with_bends());
  ASSERT_TRUE(belief.predictor().exact().speaks(ExactPaths::bends));
  constexpr std::array kinds{2.0, -1.0, 0.0, 1.0, -2.0, 1.0, 1.0, -2.0, 0.0};
  const double deviation = std::sqrt(2 * 16.0 / 9);  // of the rewards, two kinds together; their mean is 0
  Stream stream(6, Purpose::environment);
  Scratch scratch;
  std::array<double, Stacking::forecasters> errors{};
  for (std::uint32_t round = 0; round < 600; ++round) {
    const std::size_t one = stream.below(9), other = stream.below(9);
    const std::uint32_t arm = round % 2;
    const std::vector<double> x{static_cast<double>(one), static_cast<double>(other), stream.uniform()};
    const double reward = kinds[one] + kinds[(other + 4) % 9] * (arm == 0 ? 1 : -1);
    if (round >= 400) {
      const auto said = belief.predictor().say(Contexts::disjoint(x, std::span(&arm, 1)), false, scratch);
      for (std::size_t i = 0; i < errors.size(); ++i) errors[i] += std::pow(said.forecasts[i] - reward / deviation, 2) / 200;
    }
    learn(belief, {{x, arm}, reward});
  }
  EXPECT_LT(errors[Stacking::bends], 0.1);
  EXPECT_GT(errors[Stacking::line], 0.5);
  EXPECT_GT(errors[Stacking::curve], 0.5);
  EXPECT_GT(belief.predictor().shares()[Stacking::bends], 0.6);
}

// Where contexts share their weights they cost nothing; where there are many columns or arms neither.
TEST(StackedBelief, BendsSpeakForArmsOfNotTooManyColumns) {
  const auto speak = [](const Shape& shape, bool wanted) {
    return ExactPaths(shape, {.bends = wanted}).ridge[ExactPaths::bends].affordable();
  };
  EXPECT_TRUE(speak({3, 2}, true));
  EXPECT_TRUE(speak({22, 2}, true));
  EXPECT_FALSE(speak({3, 2}, false));
  EXPECT_FALSE(speak({3, 1}, true));
  EXPECT_FALSE(speak({40, 2}, true));
  EXPECT_FALSE(speak({20, 10}, true));
  EXPECT_FALSE(speak({784, 10}, true));
}

}  // namespace
}  // namespace neuralts
