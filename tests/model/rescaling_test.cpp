// A long history is scaled anew in parts: what comes of it is what one go would have made, and every state on
// the way can be saved.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "model/predict.hpp"
#include "model/stacked_belief.hpp"

namespace neuralts {
namespace {

constexpr Shape shape{.length = 3, .blocks = 2};

NeuralSettings settings_of(std::size_t at_once, std::size_t room) {
  NeuralSettings settings;
  settings.shape = {.input = shape, .units = 4, .depth = 2, .biases = true, .scale = 2};
  settings.trainer = {.optimiser = Optimiser::adam, .step = 0.01, .iterations = 1, .batch = 8, .keep_moments = true, .decay = 0.1};
  Schedule::parse("every:2", settings.schedule);
  settings.schedule.catch_up();
  settings.standardise = {.inputs = true, .rewards = true, .at_once = at_once};
  settings.posterior = PosteriorKind::diagonal;
  settings.design_width = {.shape = settings.shape, .lambda = 0.3, .normaliser = 4};
  settings.averaging = 0.01;
  settings.refresh = true;
  settings.keep.memory = room * (10 * sizeof(float) + sizeof(std::uint64_t));
  return settings;
}

// Columns that wander.
Finished round_of(std::size_t i, std::vector<double>& x) {
  Stream stream(i + 1, Purpose::environment);
  x = random_numbers(stream, shape.length);
  for (double& value : x) value += static_cast<double>(i) / 300;
  return {{x, i % 3 == 0 ? 1u : 0u}, x[0] - x[1] * x[2] + 0.1 * stream.normal(), i % 7 == 0 ? 2.0 : 1.0};
}

void train(Belief& belief) {
  while (belief.training_due()) {
    std::vector<TrainJob> jobs;
    belief.prepare_training(jobs);
    ASSERT_TRUE(processor_engine().train(jobs, {}));
    belief.finish_training();
  }
}

template <class B>
void learn(B& belief, const Finished& round) {
  belief.observe({&round, 1});
  train(belief);
}

std::vector<char> bytes_of(const Belief& belief) {
  Writer out;
  belief.save(out);
  return out.bytes();
}

double noise_of(const RidgePath& path) {
  Writer out;
  path.save(out);
  Reader in(out.bytes(), "path");
  return in.value<double>();
}

// The rounds of a belief as `scaling` maps them, every number of them.
void expect_mapped(const Observations<float>& seen, const Scaling<float>& scaling, std::size_t rounds) {
  std::vector<double> x;
  std::vector<std::size_t> row(shape.blocks);
  for (std::size_t i = 0; i < rounds; ++i) {
    const Finished round = round_of(i, x);
    const auto& block = seen.history().blocks()[round.context.block];
    std::vector<float> mapped(shape.length);
    scaling.map(x, mapped.data());
    const std::size_t at = row[round.context.block]++;
    for (std::size_t j = 0; j < shape.length; ++j)
      ASSERT_NEAR(block.x[at * shape.length + j], mapped[j], 1e-5) << i;
    ASSERT_NEAR(block.rewards[at], scaling.map_reward(round.reward), 1e-4) << i;
  }
}

// 1,024 rounds: mapped with one round, taken in with eight more, and with those that came meanwhile.
TEST(Rescaling, InPartsMakesWhatOneGoMakes) {
  std::vector<double> x;
  NeuralBelief<float> belief(settings_of(600, 0));
  std::size_t took = 0, i = 0;
  for (; i < 1024 || belief.rescaling(); ++i) {
    const Finished round = round_of(i, x);
    belief.observe({&round, 1});
    took += belief.rescaling();
    ASSERT_TRUE(i >= 1023 || !belief.rescaling());
    ASSERT_FALSE(belief.rescaling() && belief.training_due());
    if (i < 1024 || belief.rescaling()) train(belief);
  }
  EXPECT_GE(took, 9u);
  EXPECT_LE(took, 12u);
  expect_mapped(belief.observations(), belief.predictor().scaling(), i);

  NeuralPredictor<float> anew(belief.predictor().network(),
                              make_diagonal_posterior<float>(settings_of(0, 0).design_width));
  anew.set_scaling(belief.predictor().scaling());
  const auto& blocks = belief.observations().history().blocks();
  for (std::uint32_t k = 0; k < blocks.size(); ++k)
    for (std::size_t row = 0; row < blocks[k].rows(); ++row) {
      std::vector<float> inputs(4), signals(4);
      float f = 0;
      const Batch<float> one{1, blocks[k].x.data() + row * shape.length, shape.length, &k};
      anew.network().forward(one, inputs.data(), &f);
      anew.network().backward(1, inputs.data(), nullptr, signals.data());
      anew.posterior().grow({one, inputs.data(), signals.data(), &belief.observations().weights()[k][row]});
    }
  const Contexts contexts = Contexts::disjoint(x, 2);
  const Prediction here = predict(belief, contexts);
  std::vector<double> mean(2), width(2);
  Scratch scratch;
  anew.predict(contexts, scratch, mean, width);
  EXPECT_EQ(here.mean, mean);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(here.width[k], width[k], 1e-4 * width[k]);
}

// Until line, curve and bends on the new scale have taken in all rounds, those on the old one answer: also where the
// design does not follow the scale, and is ready long before them.
void expect_paths_follow(bool refresh) {
  std::vector<double> x;
  NeuralSettings settings = settings_of(600, 0);
  settings.refresh = refresh;
  settings.bends = true;
  StackedBelief<float> belief(settings);
  NeuralBelief<float> network(settings);  // the rounds of both are the same
  const auto bends_wait = [&] {
    return belief.predictor().path(ExactPaths::bends).waiting(network.observations().history()) > 0;
  };
  for (std::size_t i = 0; i < 1060 || bends_wait(); ++i) {
    ASSERT_LT(i, 1100u);
    const Finished round = round_of(i, x);
    learn(network, round);
    learn(belief, round);
    const RidgePath& line = belief.predictor().path(0);
    ASSERT_TRUE(i < 1023 || line.plays(0) + line.plays(1) >= 1023) << i;
  }
  std::vector<float> mapped(shape.length);
  network.observations().scaling().map(x, mapped.data());
  for (std::size_t p = 0; p < ExactPaths::ridges; ++p) {
    const RidgePath& path = belief.predictor().path(p);
    RidgePath anew(shape, std::array{RidgePath::Basis::line, RidgePath::Basis::curve, RidgePath::Basis::bends}[p]);
    anew.restart(noise_of(path));
    anew.catch_up(network.observations().history(), network.observations().weights());
    Scratch scratch;
    for (std::size_t k = 0; k < 2; ++k) {
      double mean = 0, mean_anew = 0, left = 0, left_anew = 0;
      path.ask(mapped.data(), mapped.size(), k, scratch, {&mean, 1}, {&left, 1});
      anew.ask(mapped.data(), mapped.size(), k, scratch, {&mean_anew, 1}, {&left_anew, 1});
      EXPECT_NEAR(mean, mean_anew, 1e-6);
      EXPECT_NEAR(left, left_anew, 1e-9);
      EXPECT_EQ(path.plays(k), anew.plays(k));
    }
  }
}

TEST(Rescaling, LineCurveAndBendsFollow) {
  expect_paths_follow(true);
  expect_paths_follow(false);
}

// Room for 914 rounds: they leave at the 1,029th, in the middle of the scaling that began at the 1,024th, and
// it begins again. There are five: at 128, 256, ... rounds, the longer the more of them there are.
template <class B>
void expect_saved_in_every_state() {
  std::vector<double> x;
  const NeuralSettings settings = settings_of(100, 914);
  B belief(settings);
  NeuralBelief<float> network(settings);  // the same one is in every belief here
  std::size_t half_way = 0;
  for (std::size_t i = 0; i < 2100; ++i) {
    const Finished round = round_of(i, x);
    if (i > 120) {
      B copy(settings);
      const auto before = bytes_of(belief);
      Reader in(before, "test");
      copy.load(in);
      ASSERT_TRUE(in.at_end());
      learn(belief, round);
      learn(copy, round);
      ASSERT_EQ(bytes_of(belief), bytes_of(copy)) << i;
    } else {
      learn(belief, round);
    }
    learn(network, round);
    half_way += network.rescaling();
  }
  EXPECT_EQ(network.rescalings_begun(), 6u);
  EXPECT_GE(half_way, 30u);
}

TEST(Rescaling, ANetworkIsLoadedBitForBitInEveryState) { expect_saved_in_every_state<NeuralBelief<float>>(); }
TEST(Rescaling, ANetworkBesideRidgesIsLoadedBitForBitInEveryState) {
  expect_saved_in_every_state<StackedBelief<float>>();
}

// Forgetting ends it: everything then stands on what is left.
TEST(Rescaling, EndsWhereRoundsAreForgotten) {
  std::vector<double> x;
  NeuralSettings settings = settings_of(600, 0);
  settings.keep.forgets = true;
  StackedBelief<float> belief(settings);
  for (std::size_t i = 0; i < 1026; ++i) learn(belief, round_of(i, x));
  ASSERT_TRUE(belief.retain({.last = 800}));
  train(belief);
  const auto before = bytes_of(belief);
  StackedBelief<float> copy(settings);
  Reader in(before, "test");
  copy.load(in);
  EXPECT_TRUE(in.at_end());
  for (std::size_t i = 1026; i < 1100; ++i) {
    learn(belief, round_of(i, x));
    const Prediction says = predict(belief, Contexts::disjoint(x, 2));
    for (const double number : says.mean) ASSERT_TRUE(std::isfinite(number));
  }
}

}  // namespace
}  // namespace neuralts
