#include "model/ensemble.hpp"

#include <gtest/gtest.h>

#include "model/neural_belief.hpp"
#include "model/predict.hpp"
#include "model/trainer.hpp"

namespace neuralts {
namespace {

const Shape shape{.length = 4, .blocks = 2};

FitSettings small_fit(const std::string& train) {
  FitSettings fit;
  fit.shape = {.input = shape, .units = 10, .depth = 2, .biases = true, .scale = 1};
  fit.initialisation = Initialisation::uniform;
  fit.seed = 3;
  fit.trainer.iterations = 20;
  fit.trainer.step = 0.05;
  fit.trainer.mean_loss = true;
  fit.trainer.decay = 0.01;
  EXPECT_TRUE(Schedule::parse(train, fit.schedule));
  return fit;
}

struct Round {
  std::vector<double> x;
  std::size_t block;
  double reward;
  Finished finished() const { return {{x, block}, reward}; }
};

std::vector<Round> some_rounds(std::size_t count) {
  Stream stream(4, Purpose::environment);
  std::vector<Round> rounds;
  for (std::size_t i = 0; i < count; ++i)
    rounds.push_back({random_numbers(stream, shape.length), stream.below(shape.blocks), stream.normal()});
  return rounds;
}

void learn(Ensemble<double>& ensemble, const Round& round) {
  learn(ensemble, std::vector<Finished>{round.finished()});
}

std::vector<double> theta(const Ensemble<double>& ensemble, std::size_t member) {
  const auto numbers = ensemble.predictor().network(member).theta();
  return {numbers.begin(), numbers.end()};
}

TEST(Ensemble, OfOneIsTheNetworkOfTheNeuralBelief) {
  NeuralSettings settings;
  static_cast<FitSettings&>(settings) = small_fit("every:3");
  settings.standardise = {.inputs = true, .rewards = true};
  settings.design_width.shape = settings.shape;
  NeuralBelief<double> belief(settings);
  Ensemble<double> ensemble({.fit = settings});
  const std::vector<double> query{0.1, -0.2, 0.3, 0.4};
  const Contexts contexts = Contexts::disjoint(query, shape.blocks);
  for (const Round& round : some_rounds(25)) {
    learn(belief, std::vector<Finished>{round.finished()});
    learn(ensemble, round);
    Scratch scratch;
    std::vector<double> mean(shape.blocks);
    ensemble.predictor().predict(0, ensemble.predictor().scaling().map(contexts, scratch), scratch, mean);
    EXPECT_EQ(mean, predict(belief, contexts).mean);
  }
}

// The rounds a member leaves out might as well not have been: a network fed with the others alone ends at the
// same weights.
TEST(Ensemble, AMemberTrainsOnTheRoundsItKept) {
  const double keep = 0.5;
  const auto rounds = some_rounds(40);
  Stream dealer(small_fit("never").seed, Purpose::bootstrap);
  std::vector<Round> kept;
  for (const Round& round : rounds)
    if (dealer.uniform() < keep) kept.push_back(round);
  ASSERT_GT(kept.size(), 10u);
  ASSERT_LT(kept.size(), 30u);
  Ensemble<double> all({.fit = small_fit("every:40"), .keep = keep}),
      some({.fit = small_fit("every:" + std::to_string(kept.size()))});
  for (const Round& round : rounds) learn(all, round);
  for (const Round& round : kept) learn(some, round);
  const auto a = theta(all, 0), b = theta(some, 0);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12);
}

TEST(Ensemble, MembersStartApartAndAMemberWithoutRoundsStaysWhereItWas) {
  Ensemble<double> ensemble({.fit = small_fit("every:1"), .members = 3, .keep = 0});
  const auto first = theta(ensemble, 0), second = theta(ensemble, 1);
  EXPECT_NE(first, second);
  for (const Round& round : some_rounds(5)) learn(ensemble, round);
  EXPECT_EQ(theta(ensemble, 0), first);
  EXPECT_EQ(theta(ensemble, 1), second);
}

TEST(Ensemble, NoTrainingAfterStopAfterRounds) {
  FitSettings fit = small_fit("every:1");
  fit.stop_after = 10;
  Ensemble<double> ensemble({.fit = fit});
  const auto rounds = some_rounds(14);
  for (std::size_t i = 0; i < 10; ++i) learn(ensemble, rounds[i]);
  const auto before = theta(ensemble, 0);
  for (std::size_t i = 10; i < 14; ++i) learn(ensemble, rounds[i]);
  EXPECT_EQ(theta(ensemble, 0), before);
  EXPECT_EQ(ensemble.rounds(), 14u);
}

}  // namespace
}  // namespace neuralts
