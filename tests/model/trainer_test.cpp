#include "model/trainer.hpp"

#include <gtest/gtest.h>

#include "model/random_network.hpp"

namespace neuralts {
namespace {

constexpr double h = 1e-6;

struct Problem {
  NetworkShape shape{.input = {3, 2}, .units = 6, .depth = 3, .biases = true, .scale = std::sqrt(6.0)};
  History<double> history{shape.input};
  Network<double> network;

  explicit Problem(std::size_t rounds, std::uint64_t seed = 1) : network(make(seed)) {
    Stream stream(seed, Purpose::environment);
    const RandomContexts contexts = random_contexts(shape.input, rounds, stream);
    for (std::size_t i = 0; i < rounds; ++i)
      history.append(contexts.blocks[i], std::span(contexts.x).subspan(i * 3, 3), stream.normal());
  }
  Network<double> make(std::uint64_t seed) const {
    Stream stream(seed, Purpose::initialisation);
    return random_network(shape, stream);
  }
  // weight sum (f - r)^2 / 2 + decay |theta - anchor|^2 / 2
  double objective(const Network<double>& at, double weight, double decay,
                   const std::vector<double>& anchor) const {
    double loss = 0, distance = 0;
    for (std::uint32_t k = 0; k < 2; ++k) {
      const auto& block = history.blocks()[k];
      for (std::size_t i = 0; i < block.rows(); ++i) {
        const auto begin = block.x.begin() + static_cast<std::ptrdiff_t>(3 * i);
        const RandomContexts one{{begin, begin + 3}, {k}, 3};
        const double residual = tangent_features(at, one).out[0] - block.rewards[i];
        loss += residual * residual / 2;
      }
    }
    for (std::size_t i = 0; i < anchor.size(); ++i)
      distance += (at.theta()[i] - anchor[i]) * (at.theta()[i] - anchor[i]) / 2;
    return weight * loss + decay * distance;
  }
};

// One step of descent moves by -step times the objective's gradient, for both dialects' objectives.
TEST(Trainer, OneStepFollowsTheGradientOfItsObjective) {
  for (const bool released : {false, true}) {
    Problem problem(150);
    const double n = 150, weight = released ? 2 / n : 1, decay = released ? 0.7 / n : 0.7;
    TrainerSettings settings{.step = 1e-3,
                             .iterations = 1,
                             .mean_loss = released,
                             .decay = 0.7,
                             .decay_over_n = released,
                             .anchor = released ? Anchor::zero : Anchor::initial};
    Trainer<double> trainer(settings, problem.network, 1);
    std::vector<double> anchor(problem.shape.parameters(), 0.0);
    if (!released) anchor.assign(problem.network.theta().begin(), problem.network.theta().end());
    // Away from the anchor, so that its pull is seen.
    for (double& value : problem.network.mutable_theta()) value *= 1.01;
    problem.network.refresh();
    Network<double> moved = problem.network;
    trainer.train(moved, problem.history);
    for (std::size_t i = 0; i < anchor.size(); i += 7) {
      Network<double> up = problem.network, down = problem.network;
      up.mutable_theta()[i] += h;
      down.mutable_theta()[i] -= h;
      up.refresh();
      down.refresh();
      const double slope = (problem.objective(up, weight, decay, anchor) -
                            problem.objective(down, weight, decay, anchor)) /
                           (2 * h);
      EXPECT_NEAR(moved.theta()[i] - problem.network.theta()[i], -1e-3 * slope,
                  1e-6 * std::max(1.0, std::abs(slope)));
    }
  }
}

TEST(Trainer, EveryOptimiserLowersTheObjectiveWithAMeasuredOrGivenStep) {
  struct Row {
    Optimiser optimiser;
    double step;
    std::size_t batch;
  };
  for (const Row& row :
       {Row{Optimiser::descent, 0, 0}, Row{Optimiser::momentum, 0, 0}, Row{Optimiser::adam, 0.003, 0},
        Row{Optimiser::adam, 0.003, 32}, Row{Optimiser::descent, 1e-3, 20}}) {
    Problem problem(150);
    const std::vector<double> anchor(problem.network.theta().begin(), problem.network.theta().end());
    Trainer<double> trainer(
        {.optimiser = row.optimiser, .step = row.step, .iterations = 200, .batch = row.batch, .decay = 0.1},
        problem.network, 1);
    const double before = problem.objective(problem.network, 1, 0.1, anchor);
    trainer.train(problem.network, problem.history);
    EXPECT_LT(problem.objective(problem.network, 1, 0.1, anchor), 0.8 * before);
  }
}

TEST(Trainer, StopsEarlyOnASmallGradient) {
  // With many rounds the minimum may lie on a kink, where the gradient jumps and never gets small.
  Problem problem(1);
  Trainer<double> trainer(
      {.optimiser = Optimiser::descent, .iterations = 100000, .decay = 0.5, .tolerance = 1e-6},
      problem.network, 1);
  const std::size_t steps = trainer.train(problem.network, problem.history);
  EXPECT_GT(steps, 0u);
  EXPECT_LT(steps, 100000u);
  EXPECT_EQ(trainer.train(problem.network, problem.history), 0u);  // already there
}

TEST(Trainer, ADivergingTrainingIsUndoneAndCounted) {
  Problem problem(40);
  Trainer<double> trainer({.step = 1e6, .iterations = 100}, problem.network, 1);
  const std::vector<double> before(problem.network.theta().begin(), problem.network.theta().end());
  EXPECT_EQ(trainer.train(problem.network, problem.history), 0u);
  EXPECT_EQ(trainer.diverged(), 1u);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), problem.network.theta().begin()));
}

TEST(Trainer, FromTheBeginningForgetsWhereItStood) {
  Problem problem(40);
  const TrainerSettings settings{.step = 1e-3, .iterations = 5, .warm = false};
  Trainer<double> trainer(settings, problem.network, 1);
  Network<double> once = problem.network, twice = problem.network;
  trainer.train(once, problem.history);
  trainer.train(twice, problem.history);
  trainer.train(twice, problem.history);
  EXPECT_TRUE(std::equal(once.theta().begin(), once.theta().end(), twice.theta().begin()));
}

TEST(Trainer, WeightsOfZeroRemoveARound) {
  Problem all(30), some(30);
  RoundWeights<double> weights;
  History<double> kept(all.shape.input);
  for (std::size_t k = 0; k < 2; ++k) {
    const auto& block = all.history.blocks()[k];
    weights.emplace_back(block.rows(), 1.0);
    for (std::size_t i = 0; i < block.rows(); ++i) {
      if (i % 3 == 0) weights[k][i] = 0;
      else kept.append(k, std::span(block.x).subspan(3 * i, 3), block.rewards[i]);
    }
  }
  const TrainerSettings settings{.step = 1e-3, .iterations = 10, .decay = 0.1};
  Trainer<double> masked(settings, all.network, 1), fewer(settings, some.network, 1);
  masked.train(all.network, all.history, weights);
  fewer.train(some.network, kept);
  for (std::size_t i = 0; i < all.network.theta().size(); ++i)
    EXPECT_NEAR(all.network.theta()[i], some.network.theta()[i], 1e-10);
}

}  // namespace
}  // namespace neuralts
