#include "model/stacking.hpp"

#include <gtest/gtest.h>

#include "neuralts/random.hpp"

namespace neuralts {
namespace {

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

}  // namespace
}  // namespace neuralts
