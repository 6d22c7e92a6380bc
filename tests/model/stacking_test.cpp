#include "model/stacking.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "neuralts/random.hpp"

namespace neuralts {
namespace {

struct Round {
  Stacking::Numbers forecasts;
  double reward;
};

// After 300 rounds of a world, on average over some.
template <class NextRound>
Stacking::Numbers mean_shares(bool shared_weights, int worlds, const NextRound& next) {
  Stacking::Numbers mean{};
  for (int world = 0; world < worlds; ++world) {
    Stacking stacking(shared_weights);
    Stream stream(static_cast<std::uint64_t>(world), Purpose::environment);
    for (int i = 0; i < 300; ++i) {
      const Round round = next(stream);
      stacking.count(round.forecasts, round.reward);
    }
    const auto shares = stacking.mixture().shares;
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += shares[k] / worlds;
  }
  return mean;
}

TEST(Stacking, BelievesWhoeverForecasts) {
  for (std::size_t right = 0; right < Stacking::forecasters; ++right) {
    Stacking stacking(true);
    EXPECT_EQ(stacking.mixture().shares, (Stacking::Numbers{0, 0, 0, 0, 0, 1}));
    Stream stream(1, Purpose::environment);
    for (int i = 0; i < 400; ++i) {
      Stacking::Numbers forecasts{};
      for (double& forecast : forecasts) forecast = stream.normal();
      stacking.count(forecasts, forecasts[right]);
    }
    EXPECT_GT(stacking.mixture().shares[right], 0.9);
  }
}

// Rewards of the arm, and of the context by `share` of a deviation, under noise: who says the arm's mean, who says all
// of it.
TEST(Stacking, TellsHowEvidentlyContextsMatter) {
  const auto matter = [](double share, int rounds) {
    Stacking stacking(false);
    Stream stream(6, Purpose::environment);
    for (int i = 0; i < rounds; ++i) {
      const double arm = i % 2 == 0 ? 0.8 : -0.8, context = share * stream.normal();
      stacking.count({arm, arm + context, 0, 0, 0, 0.9 * arm + 0.3 * stream.normal()}, arm + context + 0.3 * stream.normal());
    }
    return stacking.contexts_matter();
  };
  EXPECT_EQ(Stacking(false).contexts_matter(), 0);
  EXPECT_LT(matter(0, 400), 0.05);
  EXPECT_GT(matter(0.5, 400), 0.9);
  EXPECT_LT(matter(0.5, 4), 0.1);  // nor is it evident so soon
}

TEST(Stacking, AtFirstItIsOpenWhomToBelieve) {
  Stacking stacking(true);
  EXPECT_EQ(stacking.mixture().open_shares, stacking.mixture().shares);
  for (int i = 0; i < 5000; ++i) {
    stacking.count({0, 0, 1.0, 0, 0.5, -1.0}, 1.0);
    const auto open = stacking.mixture().open_shares;
    EXPECT_EQ(open[1] + open[3] + open[4], 0);  // have said nothing, or are not asked before they are believed
    EXPECT_NEAR(open[2] + open[5], 1, 1e-12);
    if (i == 0) {
      EXPECT_NEAR(open[2], (25 + stacking.mixture().shares[2]) / 51, 1e-12);
    }
  }
  EXPECT_GT(stacking.mixture().open_shares[2], 0.98);
  EXPECT_NEAR(Stacking::rounds_at(stacking.openness()), 5000, 1e-9);
}

// The constrained optimum by its conditions: the gradient is 0 where a weight is positive, and points outwards
// where it is 0.
TEST(Stacking, SolvesLeastSquaresWithoutNegativeWeights) {
  Stacking stacking(true);
  Stream stream(2, Purpose::environment);
  for (int i = 0; i < 2000; ++i) {
    const double truth = stream.normal(), noise = stream.normal();
    stacking.count({0, truth + noise, noise, 0, 0, 0.5 * truth + 0.3 * stream.normal()}, truth);
  }
  const auto shares = stacking.mixture().shares;
  EXPECT_GT(shares[1], 0);
  EXPECT_EQ(shares[2], 0);  // alone it tells nothing, and its best weight is negative
  EXPECT_GT(shares[Stacking::network], 0);
  EXPECT_NEAR(shares[1] + shares[Stacking::network], 1, 1e-12);
}

// The line forecasts `scatter` times the truth, of which the reward is `signal` times: signal / scatter has followed.
// The network says anything; the imagined round that speaks for it has the weight of one in 400.
TEST(Stacking, BelievesAsMuchAsRewardsHaveFollowed) {
  const auto followed = [](bool shared, double scatter, double signal, double curve = 0) {
    Stacking stacking(shared);
    Stream stream(3, Purpose::environment);
    for (int i = 0; i < 400; ++i) {
      const double truth = stream.normal();
      stacking.count({0, scatter * truth, curve * truth, 0, 0, stream.normal()}, signal * truth);
    }
    return stacking.mixture().followed;
  };
  EXPECT_EQ(Stacking(true).mixture().followed, 1);
  EXPECT_NEAR(followed(true, 1, 0.7), 0.7, 0.01);
  EXPECT_EQ(followed(true, 0.5, 1), 1);   // says too little: not believed beyond what it says
  EXPECT_EQ(followed(true, 1, 0.1), 0.5);
  EXPECT_EQ(followed(true, 1, -1), 0.5);  // nobody is believed
  EXPECT_EQ(followed(false, 1, 0.7), 1);
  EXPECT_EQ(followed(true, 1, 0.7, 1), 1);  // a curve may hope
}

// The line is right, and what a network says beyond it has nothing to do with the rewards. By chance its weight is
// proportional to a normal number z where that is positive: 0.40 on average. Where arms have weights of their own it
// is heard by z^4 / (z^4 + 1), and 0.23 of it is left, with a deviation of 0.55; where contexts share them by z^4 / (z^4 + 16),
// and 0.08 is left, with a deviation of 0.29. Over 400 worlds the two means have deviations of 0.028 and 0.014.
TEST(Stacking, ANetworkThatFitsNoiseIsHardlyHeard) {
  double shared_weights = 0, own_weights = 0, unheard = 0;
  constexpr int worlds = 400, rounds = 300;
  constexpr double scatter = 0.7;
  for (std::uint64_t world = 0; world < worlds; ++world) {
    Stacking shared(true), own(false);
    Stream stream(world, Purpose::environment);
    double said = 0, followed = 0;
    for (int i = 0; i < rounds; ++i) {
      const double truth = 0.5 * stream.normal(), noise = stream.normal(), network = scatter * stream.normal();
      const Stacking::Numbers forecasts{0, truth, truth + 0.4 * stream.normal(), 0, 0, network};
      shared.count(forecasts, truth + noise);
      own.count(forecasts, truth + noise);
      said += network * network, followed += network * noise;
    }
    shared_weights += shared.mixture().shares[Stacking::network];
    own_weights += own.mixture().shares[Stacking::network];
    unheard += std::max(0.0, followed / said) / (1 + std::max(0.0, followed / said));
  }
  EXPECT_LT(own_weights, 0.75 * unheard);
  EXPECT_LT(shared_weights, 0.5 * own_weights);
}

// ... and one that forecasts is heard at once.
TEST(Stacking, ANetworkThatForecastsIsHeard) {
  Stacking stacking(true);
  Stream stream(7, Purpose::environment);
  for (int i = 0; i < 300; ++i) {
    const double truth = stream.normal();
    stacking.count({0, 0.3 * stream.normal(), 0.3 * stream.normal(), 0, 0, 0.5 * truth}, 0.5 * truth + stream.normal());
  }
  EXPECT_GT(stacking.mixture().shares[Stacking::network], 0.7);
}

// A curve says what the line says and noise: the line has nearly all. Where the line says anything,
// the curve is heard as it is.
TEST(Stacking, ACurveThatFitsNoiseIsHeldToALineThatIsEvident) {
  for (const bool shared : {true, false}) {
    const auto share_of_the_line = [&](bool right) {
      return mean_shares(shared, 100, [&](Stream& stream) -> Round {
        const double truth = 0.5 * stream.normal(), reward = truth + stream.normal(), off = stream.normal();
        const double network = 0.7 * stream.normal(), other_network = 0.7 * stream.normal();
        if (right) return {{0, truth, truth + 0.3 * off, 0, 0, network}, reward};
        return {{0, 0.5 * off, truth, 0, 0, other_network}, reward};
      })[Stacking::line];
    };
    EXPECT_GT(share_of_the_line(true), shared ? 0.93 : 0.88) << shared;  // not held: 0.84 and 0.85
    EXPECT_LT(share_of_the_line(false), 0.15) << shared;
  }
}

// Bends say what line and curve say, and something beside it: noise, or what is missing.
TEST(Stacking, BendsAreHeardAsFarAsTheyAreEvident) {
  const auto share_of_bends = [](bool useful) {
    return mean_shares(false, 100, [&](Stream& stream) -> Round {
      const double straight = 0.5 * stream.normal(), bent = 0.5 * stream.normal(),
                   reward = straight + bent + stream.normal(), network = 0.7 * stream.normal(),
                   noise = 0.5 * stream.normal();
      return {{0, straight, straight, straight + (useful ? bent : noise), 0, network}, reward};
    })[Stacking::bends];
  };
  EXPECT_GT(share_of_bends(true), 0.8);
  EXPECT_LT(share_of_bends(false), 0.015);  // not held: 0.037
}

// Neighbours the same; bends beside them or not.
TEST(Stacking, NeighboursAreHeardAsFarAsTheyAreEvident) {
  for (const bool shared : {true, false}) {
    const auto share_of_neighbours = [&](bool useful, bool bends_speak) {
      return mean_shares(shared, 100, [&](Stream& stream) -> Round {
        const double straight = 0.5 * stream.normal(), alike = 0.5 * stream.normal(),
                     reward = straight + alike + stream.normal(), network = 0.7 * stream.normal(),
                     noise = 0.5 * stream.normal(), bends = bends_speak ? straight + 0.3 * stream.normal() : 0;
        return {{0, straight, straight, bends, straight + (useful ? alike : noise), network}, reward};
      })[Stacking::neighbours];
    };
    EXPECT_GT(share_of_neighbours(true, false), 0.8) << shared;
    EXPECT_LT(share_of_neighbours(false, false), 0.015) << shared;
    if (shared) continue;
    EXPECT_GT(share_of_neighbours(true, true), 0.8);
    EXPECT_LT(share_of_neighbours(false, true), 0.015);
  }
}

// All that is said is noise, the curve's louder than the line's, as it is that of who has more weights: chance gives each a
// quarter or so, and half of what it gives constant and curve goes to the line.
TEST(Stacking, WhereNothingIsEvidentTheLineOfArmsLeads) {
  const Stacking::Numbers shares = mean_shares(false, 200, [](Stream& stream) -> Round {
    Stacking::Numbers forecasts{0.1, 0.3, 0.5, 0, 0, 0.7};
    for (double& forecast : forecasts) forecast *= stream.normal();
    return {forecasts, stream.normal()};
  });
  EXPECT_GT(shares[Stacking::line], 1.5 * shares[Stacking::constant]);  // not held: 0.8
  EXPECT_GT(shares[Stacking::line], 2 * shares[Stacking::curve]);       // 1.5
}

// The same where contexts share their weights: a curve that has had few rounds for each of its weights does not lead.
TEST(Stacking, ALineOfSharedWeightsIsAssumedWhileTheCurveCannotKnow) {
  const auto share_of_the_line = [](std::size_t curve_weights, int rounds) {
    double mean = 0;
    for (int world = 0; world < 200; ++world) {
      Stacking stacking(true, curve_weights);
      Stream stream(static_cast<std::uint64_t>(world), Purpose::environment);
      for (int i = 0; i < rounds; ++i)
        stacking.count({0, 0.3 * stream.normal(), 0.5 * stream.normal(), 0, 0, 0.7 * stream.normal()}, stream.normal());
      mean += stacking.mixture().shares[Stacking::line] / 200;
    }
    return mean;
  };
  const double soon_doubted = share_of_the_line(1, 30);
  EXPECT_GT(share_of_the_line(1000, 30), 1.4 * soon_doubted);  // not assumed: 1
  EXPECT_LT(share_of_the_line(5, 30), 1.1 * soon_doubted);
  EXPECT_LT(share_of_the_line(30, 3000), 1.1 * share_of_the_line(1, 3000));
}

// Who has nobody beside it speaks, however little is evident.
TEST(Stacking, ANetworkAloneIsBelieved) {
  for (const bool shared : {true, false}) {
    Stacking stacking(shared);
    Stream stream(5, Purpose::environment);
    for (int i = 0; i < 300; ++i) stacking.count({0, 0, 0, 0, 0, stream.normal()}, stream.normal());
    EXPECT_EQ(stacking.mixture().shares, (Stacking::Numbers{0, 0, 0, 0, 0, 1})) << shared;
  }
}

// Two forecasters, each right about its own part of the reward: their weights are 1 and `other`; the network
// says anything.
TEST(Stacking, TheFirstIsBelievedByMoreThanHalfOrNotAtAll) {
  for (const double other : {2.0, 0.5}) {
    Stacking stacking(true);
    Stream stream(3, Purpose::environment);
    for (int i = 0; i < 2000; ++i) {
      const double constant = stream.normal(), line = stream.normal();
      stacking.count({constant, line, 0, 0, 0, stream.normal()}, constant + other * line);
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
    Stacking::Numbers forecasts{0, truth + stream.normal(), 0.4 * truth, 0, 0, 0.5 * stream.normal()};
    before.count(forecasts, truth);
    for (const std::size_t k : {1, 2, 5}) forecasts[k] = factor * forecasts[k] + shift;
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
