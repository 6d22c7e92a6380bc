#include "model/early_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/predict.hpp"

namespace neuralts {
namespace {

constexpr Shape two_arms{.length = 3, .blocks = 2}, ten_arms{.length = 3, .blocks = 10},
    by_columns{.length = 3, .blocks = 1};

// How far it is heard that has odds of e^odds.
double heard(double odds) { return 1 / (1 + std::exp(-odds)); }

using Reward = double (*)(const std::vector<double>& x, std::size_t block);
double of_the_first_column(const std::vector<double>& x, std::size_t) { return x[0]; }
double of_the_arm(const std::vector<double>&, std::size_t block) { return block == 0 ? 1 : 0; }

void take_in(EarlyKernel& early, std::size_t rounds, std::size_t blocks = 2, Reward reward = of_the_first_column) {
  Stream stream(1, Purpose::environment);
  for (std::size_t i = 0; i < rounds; ++i) {
    const auto x = random_numbers(stream, 3);
    const Finished round{{x, i % blocks}, reward(x, i % blocks)};
    early.make_room({&round, 1});
    early.take_in({&round, 1});
  }
}

double forecast(const EarlyKernel& early, const std::vector<double>& x, std::uint32_t block) {
  Scratch scratch;
  return early.forecast(Contexts::disjoint(x, {&block, 1}), scratch);
}

TEST(EarlyKernel, SpeaksWhereItIsAskedTo) {
  EXPECT_TRUE(EarlyKernel(two_arms, {}).speaks());
  EXPECT_TRUE(EarlyKernel(by_columns, {}).speaks());
  EXPECT_FALSE(EarlyKernel(two_arms, {.speaks = false}).speaks());
}

// 2 10^6 multiplications of a decision's widths, 10^6 numbers of points.
TEST(EarlyKernel, SpeaksForFewerRoundsWhereTheyWouldCostTooMuch) {
  EXPECT_EQ(EarlyKernel(ten_arms, {}).most_rounds(), 400u);
  EXPECT_EQ(EarlyKernel({.length = 3, .blocks = 400}, {}).most_rounds(), 100u);
  EXPECT_EQ(EarlyKernel({.length = 10'000, .blocks = 2}, {}).most_rounds(), 100u);
  EXPECT_FALSE(EarlyKernel({.length = 2'000'000, .blocks = 2}, {}).speaks());
}

// What lines of few columns know after a few rounds needs nobody else: three for each of their weights, the intercept's too.
TEST(EarlyKernel, SpeaksForFewerRoundsWhereArmsHaveFewWeights) {
  EXPECT_EQ(EarlyKernel(two_arms, {}).most_rounds(), 4u * 3 * 8);
  EXPECT_EQ(EarlyKernel({.length = 1, .blocks = 3}, {}).most_rounds(), 4u * 3 * 6);
  EXPECT_EQ(EarlyKernel(by_columns, {}).most_rounds(), 400u);
  EarlyKernel early(two_arms, {});
  take_in(early, 24);
  EXPECT_NEAR(early.part(), heard(5), 1e-12);
  take_in(early, 71);
  EXPECT_LT(early.part(), 0.02);
  take_in(early, 1);
  EXPECT_FALSE(early.speaks());
}

TEST(EarlyKernel, IsAloneForAQuarterOfItsRoundsAndFadesOverTheRest) {
  for (const auto& [rounds, part] : {std::pair{0, 1.0}, {100, 1.0}, {250, 0.5}, {400, 0.0}}) {
    EarlyKernel early(ten_arms, {});
    take_in(early, static_cast<std::size_t>(rounds), ten_arms.blocks);
    EXPECT_NEAR(early.part(), part * heard(5), 1e-12) << rounds;
    EXPECT_EQ(early.speaks(), part > 0);
    EXPECT_EQ(early.memory() > 0, rounds > 0 && part > 0);
  }
}

TEST(EarlyKernel, IsAloneForHalfOfThemWhereContextsShareTheirWeights) {
  for (const auto& [rounds, part] : {std::pair{200, 1.0}, {300, 0.5}, {400, 0.0}}) {
    EarlyKernel early(by_columns, {});
    take_in(early, static_cast<std::size_t>(rounds), 1);
    EXPECT_NEAR(early.part(), part * heard(10), 1e-12) << rounds;
  }
}

// Lines of few columns may be right after a few rounds, and are heard sooner; one line for all actions is not.
TEST(EarlyKernel, HasLessOfALeadAtFirstTheFewerColumnsArmsHave) {
  for (const auto& [columns, odds] : {std::pair{1, 5}, {7, 7}, {10, 10}, {60, 10}}) {
    const auto length = static_cast<std::size_t>(columns);
    EXPECT_NEAR(EarlyKernel({.length = length, .blocks = 2}, {}).part(), heard(odds), 1e-12) << columns;
    EXPECT_NEAR(EarlyKernel({.length = length, .blocks = 1}, {}).part(), heard(10), 1e-12) << columns;
  }
}

// What is said of an arm that pays nothing beside one that pays 1, whatever the context.
double said_of_the_worse(double intercept) {
  EarlyKernel early(two_arms, {.intercept = intercept});
  take_in(early, 20, 2, of_the_arm);
  return forecast(early, {0, 0, 0}, 1);
}

TEST(EarlyKernel, TellsArmsApartByItsIntercept) {
  EXPECT_LT(said_of_the_worse(0.25), said_of_the_worse(0) - 1e-3);
  EXPECT_LT(said_of_the_worse(1), said_of_the_worse(0.25) - 1e-3);
}

TEST(EarlyKernel, HasNoInterceptWhereContextsShareTheirWeights) {
  EarlyKernel without(by_columns, {}), asked(by_columns, {.intercept = 1});
  for (EarlyKernel* early : {&without, &asked}) take_in(*early, 20, 1);
  EXPECT_EQ(forecast(asked, {0.1, 0.2, 0.3}, 0), forecast(without, {0.1, 0.2, 0.3}, 0));
}

TEST(EarlyKernel, AFileWithAnInterceptSaysTheSame) {
  EarlyKernel early(two_arms, {.intercept = 0.25}), read(two_arms, {.intercept = 0.25});
  take_in(early, 20);
  Writer out;
  early.save(out);
  Reader in(out.bytes(), "file", 10);
  read.load(in);
  EXPECT_EQ(forecast(read, {0.1, 0.2, 0.3}, 1), forecast(early, {0.1, 0.2, 0.3}, 1));
}

// How many actions there are is known when a decision is asked for.
TEST(EarlyKernel, HasTimeForFewActionsOrFewRounds) {
  EXPECT_EQ(EarlyKernel::time_for(10, 400), 1);
  EXPECT_EQ(EarlyKernel::time_for(400, 50), 1);
  EXPECT_DOUBLE_EQ(EarlyKernel::time_for(30, 316), 2 * (1 - 30 * 316 * 316 / 4e6));
  EXPECT_EQ(EarlyKernel::time_for(400, 100), 0);
}

// Errors of 1 and 0: the noise is (10 + 0) / (10 + n) after n rounds, so the lead falls by (10 + n) / 20 with each.
TEST(EarlyKernel, IsHeardLessWhereTheMixtureForecastsBetter) {
  EarlyKernel early(two_arms, {});
  double lead = 0;
  for (int n = 1; n <= 20; ++n) {
    early.compare(1, 0);
    lead -= (10 + n) / 20.0;
    EXPECT_NEAR(early.part(), heard(5 + lead), 1e-12);
  }
  EXPECT_LT(early.part(), 1e-6);
}

TEST(EarlyKernel, RoomThatIsNotUsedChangesNothing) {
  EarlyKernel early(two_arms, {});
  take_in(early, 20);
  Writer before, after;
  early.save(before);
  const std::vector<double> x = {0.1, 0.2, 0.3};
  const Finished round{{x, 1}, 5};
  early.make_room({&round, 1});
  early.save(after);
  EXPECT_EQ(before.bytes(), after.bytes());
}

TEST(EarlyKernel, WhereItNeverSpeaksItSavesNothing) {
  Writer out;
  EarlyKernel(two_arms, {.speaks = false}).save(out);
  EXPECT_TRUE(out.bytes().empty());
  EarlyKernel over(two_arms, {});
  take_in(over, 400);
  over.save(out);
  EXPECT_EQ(out.bytes().size(), 1u);
}

// Files of version 7 say nothing of it where contexts share their weights.
TEST(EarlyKernel, SaysNoMoreAfterAFileThatDoesNotKnowIt) {
  Writer out;
  Reader in(out.bytes(), "file", 7);
  EarlyKernel early(by_columns, {});
  early.load(in);
  EXPECT_FALSE(early.speaks());
  EXPECT_TRUE(EarlyKernel(two_arms, {}).in_file(7));
}

}  // namespace
}  // namespace neuralts
