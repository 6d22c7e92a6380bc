#include "model/stacked_belief.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "model/predict.hpp"

namespace neuralts {
namespace {

// The line alone, from its definition: w = (lambda I + sum phi phi')^-1 sum phi r in two unknowns, phi = [x, 1].
TEST(RidgePath, OfDegreeOneIsRidgeWithAnIntercept) {
  const Shape shape{1, 2};
  RidgePath line(shape, 1);
  line.restart(0.5);
  History<double> history(shape);
  const std::vector<std::pair<double, double>> rounds = {{0.3, 1.0}, {-0.7, 0.2}, {1.1, -0.4}};
  double xx = 0.5, x1 = 0, n = 0.5, xr = 0, r1 = 0;
  for (const auto& [x, reward] : rounds) {
    history.append(1, std::span(&x, 1), reward);
    line.catch_up(history, {});
    xx += x * x, x1 += x, n += 1, xr += x * reward, r1 += reward;
  }
  const double det = xx * n - x1 * x1, slope = (xr * n - x1 * r1) / det, level = (xx * r1 - x1 * xr) / det;
  const double asked = 0.4, variance = (n * asked * asked - 2 * x1 * asked + xx) / det;
  Scratch scratch;
  double mean = 0, left = 0;
  line.ask(&asked, 1, 1, scratch, {&mean, 1}, {&left, 1});
  EXPECT_NEAR(mean, slope * asked + level, 1e-12);
  EXPECT_NEAR(left, 0.5 * variance / (asked * asked + 1), 1e-12);
  line.ask(&asked, 1, 0, scratch, {&mean, 1}, {&left, 1});
  EXPECT_EQ(mean, 0);
  EXPECT_NEAR(left, 1, 1e-12);
  EXPECT_EQ(line.plays(1), 3u);
}

// After one round (x, r) kernel ridge regression with k(x, y) = (1 + x.y)^2 believes k(x, y) r / (k(x, x) + lambda),
// and k(x, y)^2 / (k(x, x) + lambda) of the prior variance k(y, y) is gone.
TEST(RidgePath, OfDegreeTwoIsRidgeOverTheSquaredKernel) {
  const Shape shape{4, 1};
  RidgePath curve(shape, 2);
  curve.restart(0.3);
  Stream stream(1, Purpose::environment);
  const auto x = random_numbers(stream, 4), y = random_numbers(stream, 4);
  History<double> history(shape);
  history.append(0, x, 2.5);
  curve.catch_up(history, {});
  const auto kernel = [](const auto& a, const auto& b) {
    return std::pow(std::inner_product(a.begin(), a.end(), b.begin(), 1.0), 2);
  };
  Scratch scratch;
  double mean = 0, left = 0;
  curve.ask(y.data(), 4, 0, scratch, {&mean, 1}, {&left, 1});
  const double known = kernel(x, y) / (kernel(x, x) + 0.3);
  EXPECT_NEAR(mean, known * 2.5, 1e-12);
  EXPECT_NEAR(left, 1 - known * kernel(x, y) / kernel(y, y), 1e-12);
}

// A million columns have 5.5e11 products: a curve that is not kept must not ask for the memory of one round's.
TEST(RidgePath, BeyondWhatIsAffordableTakesNoMemory) {
  const Shape shape{1 << 20, 1};
  RidgePath curve(shape, 2);
  ASSERT_FALSE(curve.affordable());
  const std::vector<double> x(shape.length, 0.5);
  const Finished round{.context = {.values = x}, .reward = 1};
  EXPECT_NO_THROW(curve.make_room({&round, 1}));
  History<double> history(shape);
  history.append(0, x, 1.0);
  EXPECT_NO_THROW(curve.catch_up(history, {}));
  EXPECT_EQ(curve.plays(0), 1u);
}

TEST(Stacking, BelievesWhoeverForecasts) {
  for (std::size_t right = 0; right < Stacking::forecasters; ++right) {
    Stacking stacking(true);
    EXPECT_EQ(stacking.mixture().shares, (Stacking::Numbers{0, 0, 0, 1}));
    Stream stream(1, Purpose::environment);
    for (int i = 0; i < 400; ++i) {
      Stacking::Numbers forecasts{};
      for (double& forecast : forecasts) forecast = stream.normal();
      stacking.count(forecasts, forecasts[right]);
    }
    EXPECT_GT(stacking.mixture().shares[right], 0.9);
  }
}

TEST(Stacking, AtFirstItIsOpenWhomToBelieve) {
  Stacking stacking(true);
  EXPECT_EQ(stacking.mixture().open_shares, stacking.mixture().shares);
  for (int i = 0; i < 5000; ++i) {
    stacking.count({0, 0, 1.0, -1.0}, 1.0);
    const auto open = stacking.mixture().open_shares;
    EXPECT_EQ(open[1], 0);  // has said nothing
    EXPECT_NEAR(open[2] + open[3], 1, 1e-12);
    if (i == 0) {
      EXPECT_NEAR(open[2], (25 + stacking.mixture().shares[2]) / 51, 1e-12);
    }
  }
  EXPECT_GT(stacking.mixture().open_shares[2], 0.98);
}

// The constrained optimum by its conditions: the gradient is 0 where a weight is positive, and points outwards
// where it is 0.
TEST(Stacking, SolvesLeastSquaresWithoutNegativeWeights) {
  Stacking stacking(true);
  Stream stream(2, Purpose::environment);
  for (int i = 0; i < 2000; ++i) {
    const double truth = stream.normal(), noise = stream.normal();
    stacking.count({0, truth + noise, noise, 0.5 * truth + 0.3 * stream.normal()}, truth);
  }
  const auto shares = stacking.mixture().shares;
  EXPECT_GT(shares[1], 0);
  EXPECT_EQ(shares[2], 0);  // alone it tells nothing, and its best weight is negative
  EXPECT_GT(shares[3], 0);
  EXPECT_NEAR(shares[1] + shares[3], 1, 1e-12);
}

// The line forecasts `scatter` times the truth, of which the reward is `signal` times: signal / scatter has followed.
// The network says anything; the imagined round that speaks for it has the weight of one in 400.
TEST(Stacking, BelievesAsMuchAsRewardsHaveFollowed) {
  const auto followed = [](bool shared, double scatter, double signal) {
    Stacking stacking(shared);
    Stream stream(3, Purpose::environment);
    for (int i = 0; i < 400; ++i) {
      const double truth = stream.normal();
      stacking.count({0, scatter * truth, 0, stream.normal()}, signal * truth);
    }
    return stacking.mixture().followed;
  };
  EXPECT_EQ(Stacking(true).mixture().followed, 1);
  EXPECT_NEAR(followed(true, 1, 0.7), 0.7, 0.01);
  EXPECT_EQ(followed(true, 0.5, 1), 1);   // says too little: not believed beyond what it says
  EXPECT_EQ(followed(true, 1, 0.1), 0.5);
  EXPECT_EQ(followed(true, 1, -1), 0.5);  // nobody is believed
  EXPECT_EQ(followed(false, 1, 0.7), 1);
}

// The line is right, and the network's forecasts have nothing to do with the rewards. By chance its weight is
// proportional to a normal number z where that is positive: 0.40 on average, with a deviation of 0.58. Where
// contexts share their weights it is heard by z^4 / (z^4 + 4), and 0.15 of it is left, with a deviation of 0.41.
// Over 400 worlds the two means have deviations of 0.03 and 0.02; 0.6 of the first is more than four of them above.
TEST(Stacking, ANetworkThatFitsNoiseIsHardlyHeard) {
  double shared_weights = 0, own_weights = 0;
  for (std::uint64_t world = 0; world < 400; ++world) {
    Stacking shared(true), own(false);
    Stream stream(world, Purpose::environment);
    for (int i = 0; i < 300; ++i) {
      const double truth = 0.5 * stream.normal(), reward = truth + stream.normal();
      const Stacking::Numbers forecasts{0, truth, truth + 0.4 * stream.normal(), 0.7 * stream.normal()};
      shared.count(forecasts, reward);
      own.count(forecasts, reward);
    }
    shared_weights += shared.mixture().shares[Stacking::network];
    own_weights += own.mixture().shares[Stacking::network];
  }
  EXPECT_GT(own_weights, 0);
  EXPECT_LT(shared_weights, 0.6 * own_weights);
}

// ... and one that forecasts is heard at once.
TEST(Stacking, ANetworkThatForecastsIsHeard) {
  Stacking stacking(true);
  Stream stream(7, Purpose::environment);
  for (int i = 0; i < 300; ++i) {
    const double truth = stream.normal();
    stacking.count({0, 0.3 * stream.normal(), 0.3 * stream.normal(), 0.5 * truth}, 0.5 * truth + stream.normal());
  }
  EXPECT_GT(stacking.mixture().shares[Stacking::network], 0.7);
}

// Two forecasters, each right about its own part of the reward: their weights are 1 and `other`; the network
// says anything.
TEST(Stacking, TheFirstIsBelievedByMoreThanHalfOrNotAtAll) {
  for (const double other : {2.0, 0.5}) {
    Stacking stacking(true);
    Stream stream(3, Purpose::environment);
    for (int i = 0; i < 2000; ++i) {
      const double constant = stream.normal(), line = stream.normal();
      stacking.count({constant, line, 0, stream.normal()}, constant + other * line);
    }
    if (other > 1) EXPECT_EQ(stacking.mixture().shares[0], 0);
    else EXPECT_NEAR(stacking.mixture().shares[0], 1 / (1 + other), 0.01);
  }
}

// Rounds counted in another unit and from another zero are, once told so, as good as rounds counted in today's.
// Who said nothing says nothing.
TEST(Stacking, FollowsTheRewardsUnitAndZero) {
  const double factor = 0.02, shift = -0.3;
  Stacking before(true), now(true);
  Stream stream(4, Purpose::environment);
  for (int i = 0; i < 300; ++i) {
    const double truth = stream.normal();
    Stacking::Numbers forecasts{0, truth + stream.normal(), 0.4 * truth, 0.5 * stream.normal()};
    before.count(forecasts, truth);
    for (std::size_t k = 1; k < forecasts.size(); ++k) forecasts[k] = factor * forecasts[k] + shift;
    now.count(forecasts, factor * truth + shift);
  }
  before.rescale(factor, shift);
  for (std::size_t k = 0; k < Stacking::forecasters; ++k) {
    EXPECT_NEAR(before.mixture().shares[k], now.mixture().shares[k], 1e-9);
    EXPECT_NEAR(before.mixture().open_shares[k], now.mixture().open_shares[k], 1e-9);
  }
}

TEST(ArmMeans, KnowWhetherTheArmAloneTellsTheReward) {
  ArmMeans calm(2), lively(2);
  Stream stream(3, Purpose::environment);
  for (int i = 0; i < 50; ++i) {
    const std::size_t arm = stream.below(2);
    calm.count(arm, 7 + 0.2 * static_cast<double>(arm) + 0.001 * stream.normal());
    lively.count(arm, 0.2 * static_cast<double>(arm) + stream.normal());
  }
  EXPECT_LT(calm.variance_within(), 0.01);
  EXPECT_GT(lively.variance_within(), 0.8);
}

TEST(ArmMeans, BelieveTwoWildRewardsAndNotOne) {
  ArmMeans arms(2);
  for (int i = 0; i < 40; ++i) arms.count(i % 2, i % 2 == 0 ? 1.0 : 1.2);
  EXPECT_EQ(arms.variance_within(), 0);
  arms.count(1, 50);
  EXPECT_EQ(arms.variance_within(), 0);
  EXPECT_LT(arms.rounds(), 2);  // they are counted anew
  arms.count(1, 51);
  EXPECT_GT(arms.variance_within(), 0.5);
}

TEST(ArmMeans, HoldBackAWildRewardHoweverEarlyItCame) {
  ArmMeans arms(2);
  arms.count(0, 1.0);
  arms.count(1, 50);
  for (int i = 0; i < 40; ++i) arms.count(i % 2, i % 2 == 0 ? 1.0 : 1.2);
  EXPECT_EQ(arms.variance_within(), 0);
}

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

// Saved and loaded in the middle.
void expect_to_go_on_the_same(const NeuralSettings& s) {
  StackedBelief<float> a(s), b(s);
  Stream stream(5, Purpose::environment);
  for (int round = 0; round < 60; ++round) {
    const auto x = random_numbers(stream, s.shape.input.length);
    const Contexts contexts = Contexts::disjoint(x, 2);
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

NeuralSettings belief_with_an_early_kernel() {
  NeuralSettings s = small_belief();
  s.early = true;
  return s;
}

TEST(StackedBelief, SavedAndLoadedGoesOnTheSame) {
  expect_to_go_on_the_same(small_belief());
  expect_to_go_on_the_same(belief_with_a_kernel());
  expect_to_go_on_the_same(belief_with_an_early_kernel());
}

Finished noisy_round(Stream& stream, std::vector<double>& x) {
  x = random_numbers(stream, 3);
  const std::size_t arm = stream.below(2);
  return {{x, arm}, (arm == 0 ? x[0] : x[1]) + 0.3 * stream.normal()};
}

// Whose belief it is: in the first hundred rounds hardly anything else is heard. Arms differ by what contexts tell, so
// that nobody believes a constant.
TEST(StackedBelief, AtFirstItBelievesWhatContextsLikeThisOnePaid) {
  StackedBelief<double> belief(belief_with_an_early_kernel());
  StandardisedSettings standardised{.shape = {3, 2}, .standardise = {}};
  standardised.standardise.inputs = standardised.standardise.rewards = true;
  StandardisedBelief<KernelBelief> kernel(standardised, KernelBelief({3, 2}, {}));
  Stream stream(7, Purpose::environment);
  std::vector<double> x;
  for (int round = 0; round < 90; ++round) {
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

}  // namespace
}  // namespace neuralts
