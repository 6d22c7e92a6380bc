// Two regressions of the reward, of what contexts of a decision have in common and of what tells them apart.
#include "model/part_stacking.hpp"

#include <gtest/gtest.h>

#include "neuralts/random.hpp"

namespace neuralts {
namespace {

using Numbers = Stacking::Numbers;

// What forecasters say of a round's parts, and what comes.
struct Round {
  Numbers common{}, apart{};
  double reward;
};

Numbers sum(const Numbers& one, const Numbers& other) {
  Numbers out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = one[i] + other[i];
  return out;
}

struct Believed {
  Stacking stacking{true};
  PartStacking parts{stacking};
  Numbers together() const { return stacking.mixture().weights(); }
  void count(const Round& round, double unit = 1, double zero = 0) {
    const auto told = [&](const Numbers& of, double at) {
      Numbers out;
      for (std::size_t i = 0; i < of.size(); ++i) out[i] = of[i] == 0 ? 0 : unit * of[i] + at;
      return out;
    };
    const Numbers common = told(round.common, zero), apart = told(round.apart, 0);
    const double reward = unit * round.reward + zero;
    parts.count(common, apart, together(), reward);
    stacking.count(sum(common, apart), reward);
    parts.believe();
  }
};

// The network sees users, of whom much depends, and guesses items; the line knows of items alone.
Round of_users_and_items(Stream& stream) {
  const double user = stream.normal(), item = 0.3 * stream.normal();
  Round out{.reward = user + item + 0.2 * stream.normal()};
  out.common[Stacking::network] = user + 0.1 * stream.normal();
  out.apart[Stacking::line] = item + 0.02 * stream.normal();
  out.apart[Stacking::network] = item + 0.4 * stream.normal();
  return out;
}

// Both see both.
Round of_one_kind(Stream& stream) {
  const double user = 0.7 * stream.normal(), item = 0.7 * stream.normal();
  Round out{.reward = user + item + 0.3 * stream.normal()};
  out.common[Stacking::line] = user + 0.1 * stream.normal();
  out.common[Stacking::network] = user + 0.1 * stream.normal();
  out.apart[Stacking::line] = item + 0.1 * stream.normal();
  out.apart[Stacking::network] = item + 0.1 * stream.normal();
  return out;
}

TEST(PartStacking, WhoSeesUsersIsBelievedAboutUsersAlone) {
  Believed believed;
  Stream stream(1, Purpose::environment);
  for (int i = 0; i < 600; ++i) believed.count(of_users_and_items(stream));
  const auto weights = believed.parts.weights(believed.together());
  EXPECT_GT(believed.together()[Stacking::network], 0.5) << "about both, by one regression";
  EXPECT_GT(weights.common[Stacking::network], 0.9);
  EXPECT_LT(weights.apart[Stacking::network], 0.25);
  EXPECT_GT(weights.apart[Stacking::line], 0.75);
}

TEST(PartStacking, WhereOneRegressionIsAsGoodItIsTheOne) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Believed believed;
    Stream stream(seed, Purpose::environment);
    for (int i = 0; i < 600; ++i) believed.count(of_one_kind(stream));
    const Numbers one = believed.together();
    const auto weights = believed.parts.weights(one);
    for (const Numbers* part : {&weights.common, &weights.apart})
      for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR((*part)[i], one[i], 0.05) << seed;
  }
}

// Whoever sees items best may see nothing of users: one part is believed by its own regression and the other is not.
TEST(PartStacking, EachPartIsJudgedByItself) {
  Believed believed;
  Stream stream(2, Purpose::environment);
  for (int i = 0; i < 200; ++i) believed.count(of_users_and_items(stream));
  const Numbers one = believed.together();
  // The user's part from now on is what the one regression says of it, and nothing that its own says.
  for (int i = 0; i < 200; ++i) {
    Round round = of_users_and_items(stream);
    const double item = round.apart[Stacking::line];
    round.common[Stacking::line] = -round.common[Stacking::network];
    round.reward = Stacking::said(one, round.common) + item;
    believed.parts.count(round.common, round.apart, one, round.reward);
  }
  const auto weights = believed.parts.weights(one);
  EXPECT_EQ(weights.common, one);
  EXPECT_GT(weights.apart[Stacking::line], one[Stacking::line] + 0.2);
}

TEST(PartStacking, BeforeTheFirstRoundTheyAreThoseOfBothInOne) {
  const Believed believed;
  const auto weights = believed.parts.weights(believed.together());
  EXPECT_EQ(weights.common, believed.together());
  EXPECT_EQ(weights.apart, believed.together());
}

// Rounds that were counted in another unit count as if told in the new one.
TEST(PartStacking, FollowsTheRewardsUnitAndZero) {
  Believed turned, told;
  Stream first(3, Purpose::environment), second(3, Purpose::environment);
  for (int i = 0; i < 300; ++i) turned.count(of_users_and_items(first));
  turned.stacking.rescale(2, 0.5);
  turned.parts.rescale(2, 0.5);
  turned.parts.believe();
  for (int i = 0; i < 300; ++i) told.count(of_users_and_items(second), 2, 0.5);
  const auto one = turned.parts.weights(turned.together()), other = told.parts.weights(told.together());
  for (std::size_t i = 0; i < Stacking::forecasters; ++i) {
    EXPECT_NEAR(one.apart[i], other.apart[i], 0.05) << i;
    EXPECT_NEAR(one.common[i], other.common[i], 0.05) << i;
  }
}

TEST(PartStacking, SavedAndLoadedGoesOnTheSame) {
  Believed a, b;
  Stream stream(4, Purpose::environment);
  for (int i = 0; i < 100; ++i) a.count(of_users_and_items(stream));
  Writer out;
  a.parts.save(out);
  Reader in(out.bytes(), "test");
  b.parts.load(in);
  EXPECT_TRUE(in.at_end());
  b.parts.believe();
  b.stacking = a.stacking;
  for (int i = 0; i < 20; ++i) {
    const Round round = of_users_and_items(stream);
    a.count(round), b.count(round);
    EXPECT_EQ(a.parts.weights(a.together()).apart, b.parts.weights(b.together()).apart);
    EXPECT_EQ(a.parts.weights(a.together()).common, b.parts.weights(b.together()).common);
  }
}

}  // namespace
}  // namespace neuralts
