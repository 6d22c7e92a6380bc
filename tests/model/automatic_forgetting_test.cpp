// What forget=auto keeps and what it lets go of, as the policies that forget so are told rounds.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/predict.hpp"
#include "neuralts/archive.hpp"
#include "neuralts/policy.hpp"

namespace neuralts {
namespace {

constexpr std::size_t d = 4;

// In every state, before and after a change was noticed: loading continues bit for bit.
TEST(AutomaticForgetting, AutoIsLoadedBitForBitAfterAChange) {
  const auto make = [] {
    return make_policy({.name = "linear-ucb", .params = {{"forget", "auto"}}, .shape = {.length = d}});
  };
  const auto bytes = [](const Policy& policy) {
    Writer out;
    policy.save(out);
    return out.bytes();
  };
  auto policy = make();
  Stream stream(9, Purpose::theory);
  for (std::size_t i = 0; i < 900; ++i) {
    const auto x = random_numbers(stream, d);
    const Finished round{{x}, (i >= 400 ? -1 : 1) * (x[0] + 2 * x[1]) + 0.1 * stream.normal()};
    const auto saved = bytes(*policy);
    const auto copy = make();
    Reader in(saved, "test");
    copy->restore(in);
    ASSERT_TRUE(in.at_end());
    policy->learn({&round, 1});
    copy->learn({&round, 1});
    ASSERT_EQ(bytes(*policy), bytes(*copy)) << i;
  }
  EXPECT_EQ(policy->notes().size(), 1u);
}

// Rewards are |x_0|, always; from the middle on only x_0 > 0 is met, as when a policy has found out where to
// play. There a line that remembers little is exact, and one that remembers all is not: but neither predicts
// worse than it did, so nothing has become wrong.
TEST(AutomaticForgetting, AutoKeepsWhatPredictsNoWorseThanItDid) {
  const auto policy = make_policy(
      {.name = "linear-ucb", .preset = "paper", .params = {{"forget", "auto"}}, .shape = {.length = d}});
  Stream stream(9, Purpose::theory);
  for (std::size_t i = 0; i < 2000; ++i) {
    auto x = random_numbers(stream, d);
    if (i >= 1000) x[0] = 0.7 * std::abs(x[0]);
    const Finished round{{x}, std::abs(x[0]) + 0.01 * stream.normal()};
    policy->learn({&round, 1});
  }
  EXPECT_TRUE(policy->notes().empty());
}

// One coefficient of four changes its sign in round 500. How many rounds later that is noticed, where another column has
// that unit and the one itself lies elsewhere from then on.
double rounds_until_noticed(double unit, double jump, std::uint64_t seed) {
  const auto policy = make_policy({.name = "linear-ucb", .params = {{"forget", "auto"}}, .shape = {.length = d}});
  Stream stream(seed, Purpose::theory);
  for (std::size_t i = 0; i < 1000; ++i) {
    auto x = random_numbers(stream, d);
    const bool late = i >= 500;
    const double reward = (late ? -1 : 1) * x[0] + x[1] + x[2] + 0.1 * stream.normal();
    x[3] *= unit;
    if (late) x[0] += jump;
    const Finished round{{x}, reward};
    policy->learn({&round, 1});
    if (!policy->notes().empty()) return static_cast<double>(i) - 500;
  }
  return 500;
}

// A column of numbers ten thousand times as large hides nothing, nor does one that lies elsewhere from then on.
TEST(AutomaticForgetting, AutoSeesEveryColumnInAUnitOfItsOwn) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const double plain = rounds_until_noticed(1, 0, seed);
    EXPECT_GT(plain, 10);
    EXPECT_LT(plain, 150);
    for (const double unit : {1e-4, 1e4}) EXPECT_NEAR(rounds_until_noticed(unit, 0, seed), plain, 2) << unit;
    for (const double jump : {30.0, 300.0, 1e6}) EXPECT_LT(rounds_until_noticed(1, jump, seed), 150) << jump;
  }
}

// A line beside a level of all rewards that rises and falls. How wrong a policy is in the end about what contexts differ by:
// mean square over the last thousand rounds of two thousand, after every tenth.
double missed_beside_a_swing(const std::string& forget, double swing, double cycle, std::uint64_t seed) {
  const auto policy = make_policy({.name = "linear-ucb", .params = {{"forget", forget}}, .shape = {.length = d}});
  Stream stream(seed, Purpose::theory), explore(1, Purpose::exploration);
  Scratch scratch;
  Decision said;
  double missed = 0;
  for (std::size_t i = 0; i < 2000; ++i) {
    const auto x = random_numbers(stream, d);
    const double level = swing * std::sin(2 * std::numbers::pi * static_cast<double>(i) / cycle);
    const Finished round{{x}, x[0] + 2 * x[1] + level + 0.3 * stream.normal()};
    policy->learn({&round, 1});
    if (i < 1000 || i % 10 != 0) continue;
    const auto two = random_numbers(stream, 2 * d);
    policy->select(Contexts::per_arm(two, 2), explore, scratch, said);
    const double differ = two[0] - two[d] + 2 * (two[1] - two[d + 1]), off = said.mean[0] - said.mean[1] - differ;
    missed += off * off / 100;
  }
  return missed;
}

// A level that all rewards have in common decides nothing: what is known of differences is not let go of for it.
TEST(AutomaticForgetting, AutoKeepsWhatIsKnownOfDifferencesWhereALevelSwings) {
  for (const double cycle : {190.0, 300.0, 600.0}) {
    double never = 0, automatic = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      never += missed_beside_a_swing("never", 0.5, cycle, seed);
      automatic += missed_beside_a_swing("auto", 0.5, cycle, seed);
    }
    EXPECT_LT(automatic, 1.5 * never) << cycle;
  }
}

struct Turned {
  double never_late = 0, automatic_late = 0;  // mean squared errors from round 1,200 of 2,000 on
  std::size_t notes = 0;                      // of `auto`
};

Turned play_a_line(std::uint64_t seed, bool turns) {
  const auto make = [](const char* forget) {
    return make_policy(
        {.name = "linear-ucb", .preset = "paper", .params = {{"forget", forget}}, .shape = {.length = d}});
  };
  const auto never = make("never"), automatic = make("auto");
  Stream stream(seed, Purpose::theory);
  Turned out;
  for (std::size_t i = 0; i < 2000; ++i) {
    const auto x = random_numbers(stream, d);
    const double reward = (turns && i >= 1000 ? -1 : 1) * (x[0] + 2 * x[1]) + 0.1 * stream.normal();
    const auto miss = [&](const Policy& policy) {
      Stream explore(1, Purpose::exploration);
      Scratch scratch;
      Decision decision;
      policy.select(Contexts::per_arm(x, 1), explore, scratch, decision);
      return std::pow(decision.mean[0] - reward, 2);
    };
    if (i >= 1200) out.never_late += miss(*never) / 800, out.automatic_late += miss(*automatic) / 800;
    const Finished round{{x}, reward};
    never->learn({&round, 1});
    automatic->learn({&round, 1});
  }
  out.notes = automatic->notes().size();
  return out;
}

// Rewards are a line in the context, whose sign turns at the middle. Without forgetting the line fitted to
// both halves is of little use to the end; `auto` notices, says so, and keeps nothing of the first half, whichever
// memory noticed: 20 of its rounds would cost 0.04. In a world that does not turn it changes nothing, to the last
// bit.
TEST(AutomaticForgetting, AutoLetsGoOfWhatBecameWrongAndOfNothingElse) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const Turned rested = play_a_line(seed, false), turned = play_a_line(seed, true);
    EXPECT_EQ(rested.automatic_late, rested.never_late);
    EXPECT_EQ(rested.notes, 0u);
    EXPECT_LT(turned.automatic_late, 0.02);  // the noise alone is 0.01
    EXPECT_GT(turned.never_late, 0.2);
    EXPECT_EQ(turned.notes, 1u);
  }
}

}  // namespace
}  // namespace neuralts
