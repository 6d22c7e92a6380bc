#include "model/stacked_belief.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/stacked.hpp"

namespace neuralts {
namespace {

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

double line_reward(std::span<const double> x) { return x[0] - 0.3 * x[1]; }
double click(std::span<const double> x) { return line_reward(x) > 0.5 ? 1 : 0; }

// Saved and loaded in the middle.
void expect_to_go_on_the_same(const NeuralSettings& s, double reward(std::span<const double>) = line_reward) {
  StackedBelief<float> a(s), b(s);
  Stream stream(5, Purpose::environment);
  for (int round = 0; round < 60; ++round) {
    const auto x = random_numbers(stream, s.shape.input.length);
    const auto columns = two_actions(x);
    const Contexts contexts = s.shape.input.blocks > 1 ? Contexts::disjoint(x, 2) : Contexts::per_arm(columns, 2);
    const Finished finished{contexts[stream.below(2)], reward(x)};
    a.offered(contexts);
    learn(a, finished);
    if (round == 30) {
      Writer out;
      a.save(out);
      Reader in(out.bytes(), "belief");
      b.load(in);
    } else if (round > 30) {
      b.offered(contexts);
      learn(b, finished);
      const Prediction here = predict(a, contexts), there = predict(b, contexts);
      EXPECT_EQ(here.mean, there.mean);
      EXPECT_EQ(here.width, there.width);
    }
  }
}

// Too many columns for a curve.
NeuralSettings belief_with_a_kernel() {
  NeuralSettings s = small_belief({30, 2});
  s.kernel = true;
  return s;
}

NeuralSettings belief_with_bends() {
  NeuralSettings s = small_belief();
  s.bends = true;
  return s;
}

NeuralSettings belief_with_neighbours(NeuralSettings s = small_belief()) {
  s.neighbours = true;
  return s;
}

NeuralSettings belief_with_a_logistic_line() {
  NeuralSettings s = small_belief();
  s.logistic = true;
  return s;
}

TEST(StackedBelief, SavedAndLoadedGoesOnTheSame) {
  expect_to_go_on_the_same(small_belief());
  expect_to_go_on_the_same(belief_with_a_kernel());
  expect_to_go_on_the_same(belief_with_bends());
  expect_to_go_on_the_same(belief_with_neighbours());
  expect_to_go_on_the_same(belief_with_neighbours(belief_of_columns(true)));
  expect_to_go_on_the_same(belief_with_an_early_kernel());
  expect_to_go_on_the_same(belief_of_columns(true));
  expect_to_go_on_the_same(belief_with_a_logistic_line());
  expect_to_go_on_the_same(belief_with_a_logistic_line(), click);
}

// How far a belief with a logistic line and one without differ after a hundred rounds, in what they say of two arms.
double worth_of_a_logistic_line(double reward(std::span<const double>)) {
  StackedBelief<double> with(belief_with_a_logistic_line()), without(small_belief());
  Stream stream(6, Purpose::environment);
  for (std::size_t round = 0; round < 100; ++round) {
    const auto x = random_numbers(stream, 3);
    for (auto* belief : {&with, &without}) learn(*belief, {{x, round % 2}, reward(x)});
  }
  double largest = 0;
  for (int i = 0; i < 20; ++i) {
    const auto x = random_numbers(stream, 3);
    const Contexts contexts = Contexts::disjoint(x, 2);
    const auto said = predict(with, contexts).mean, otherwise = predict(without, contexts).mean;
    for (std::size_t k = 0; k < 2; ++k) largest = std::max(largest, std::abs(said[k] - otherwise[k]));
  }
  return largest;
}

TEST(StackedBelief, TheLineIsALogisticOneOfClicksAlone) {
  EXPECT_EQ(worth_of_a_logistic_line(line_reward), 0);
  EXPECT_GT(worth_of_a_logistic_line(click), 0.01);
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

// Of what two contexts have in common neither is surer than the other: draws of each its own would hide what they differ by.
// What one is unsure of beyond the other stays.
TEST(StackedBelief, WhatContextsNearEachOtherAreUnsureOfDecidesNothing) {
  StackedBelief<double> belief(small_belief({3, 1}));
  Stream stream(8, Purpose::environment);
  for (int round = 0; round < 60; ++round) {
    const auto x = random_numbers(stream, 3);
    learn(belief, {Contexts::per_arm(x, 1)[0], line_reward(x) + 0.3 * stream.normal()});
  }
  const auto squares = [&](const std::vector<double>& contexts) {
    auto width = predict(belief, Contexts::per_arm(contexts, contexts.size() / 3)).width;
    for (double& one : width) one *= one;
    return width;
  };
  const auto beside = [&](double apart) { return squares({0.3, -0.2, 0.1, 0.3 + apart, -0.2, 0.1}); };
  const double one = squares({0.3, -0.2, 0.1})[0], other = squares({0.32, -0.2, 0.1})[0];
  EXPECT_EQ(beside(1)[0], one);
  EXPECT_EQ(beside(0)[0], one);
  EXPECT_LT(beside(0.02)[0], 0.04 * one);
  EXPECT_NEAR(beside(0.02)[0], 4 * beside(0.01)[0], 0.002 * one);
  EXPECT_NEAR(beside(0.02)[1] - beside(0.02)[0], other - one, 1e-9 * one);
}

// A user of two columns and an item of two: of the user most is given, and by no line; of the item a line tells all. How
// wrong the belief is in the end about what two items differ by, mean square, where it is told what decisions were between
// (or not), and their mean width.
struct Differences {
  double missed = 0, width = 0;
};
Differences of_users_and_items(bool told, std::uint64_t seed) {
  StackedBelief<double> belief(small_belief({4, 1}));
  Stream stream(seed, Purpose::environment);
  const auto decision = [&] {
    auto numbers = random_numbers(stream, 6);
    const std::vector<double> user{numbers[0], numbers[1]};
    return std::vector<double>{user[0], user[1], numbers[2], numbers[3], user[0], user[1], numbers[4], numbers[5]};
  };
  const auto pays = [](const Slice& context) {
    const auto x = context.values;
    return 4 * std::abs(x[0]) + 4 * x[0] * x[1] + x[2] - 0.5 * x[3];
  };
  for (int round = 0; round < 300; ++round) {
    const auto numbers = decision();
    const Contexts contexts = Contexts::per_arm(numbers, 2);
    if (told) belief.offered(contexts);
    learn(belief, {contexts[0], pays(contexts[0]) + 0.1 * stream.normal()});
  }
  Differences out;
  for (int i = 0; i < 100; ++i) {
    const auto numbers = decision();
    const Contexts contexts = Contexts::per_arm(numbers, 2);
    const Prediction said = predict(belief, contexts);
    const double off = said.mean[0] - said.mean[1] - (pays(contexts[0]) - pays(contexts[1]));
    out.missed += off * off / 100;
    out.width += (said.width[0] + said.width[1]) / 200;
  }
  return out;
}

// What is known of the user is taken off what the line learns of items, which is noise there otherwise.
TEST(StackedBelief, WhatUsersGiveIsNoNoiseToWhoLearnsOfItems) {
  Differences told, alone;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Differences with = of_users_and_items(true, seed), without = of_users_and_items(false, seed);
    told.missed += with.missed, alone.missed += without.missed;
    EXPECT_LT(with.width, 0.75 * without.width) << seed;
  }
  EXPECT_LT(told.missed, 0.7 * alone.missed);
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
    StackedBelief<double> belief(small_belief({4, 2}));
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

// Of forty arms the first always paid and nine did not; the others were never played. Of three arms nobody is taken for
// what arms are on average.
TEST(StackedBelief, OfManyArmsWhoWasNeverPlayedIsForecastBelowTheAverageRound) {
  const auto never_played = [](std::size_t arms) {
    StackedBelief<double> belief(small_belief({3, arms}));
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

// Twelve people come again and again, each a little older, and each is as good for an arm as chance has made him: nothing
// smooth tells it.
TEST(StackedBelief, NeighboursForecastWhoComesAgain) {
  StackedBelief<float> belief(belief_with_neighbours());
  Stream stream(7, Purpose::environment);
  struct Person {
    double x, y, likes;
  };
  std::vector<Person> people;
  for (int i = 0; i < 12; ++i) people.push_back({stream.normal(), stream.normal(), i % 2 == 0 ? 1.0 : -1.0});
  Scratch scratch;
  std::array<double, Stacking::forecasters> errors{};
  for (std::uint32_t round = 0; round < 900; ++round) {
    const Person& person = people[stream.below(people.size())];
    const std::uint32_t arm = round % 2;
    const std::vector<double> x{person.x, person.y, round / 900.0};
    const double reward = person.likes * (arm == 0 ? 1 : -1);
    if (round >= 700) {
      const auto said = belief.predictor().say(Contexts::disjoint(x, std::span(&arm, 1)), false, scratch);
      for (std::size_t i = 0; i < errors.size(); ++i) errors[i] += std::pow(said.forecasts[i] - reward, 2) / 200;
    }
    learn(belief, {{x, arm}, reward});
  }
  EXPECT_LT(errors[Stacking::neighbours], 0.2);
  EXPECT_GT(errors[Stacking::line], 0.5);
  EXPECT_GT(errors[Stacking::curve], 0.5);
  EXPECT_GT(belief.predictor().shares()[Stacking::neighbours], 0.6);
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
