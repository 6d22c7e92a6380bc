// Presets that standardise do not know what a unit is or where zero lies, and are not led astray by a single
// wild number.
#include <gtest/gtest.h>

#include <cmath>

#include "neuralts/policy.hpp"

namespace neuralts {
namespace {

// y = scale x + offset. Scales are powers of two and all numbers lie on a coarse grid, so that the two runs see
// the same digits and differ by rounding alone.
struct Unit {
  double scale = 1, offset = 0;
  double operator()(double x) const { return scale * x + offset; }
};

double on_grid(double x) { return std::round(64 * x) / 64; }

struct Case {
  std::string policy, preset;
  Shape shape;
  std::string forget = {};  // as the preset has it
  std::size_t common = 0;   // columns that all contexts of a decision have
};

// What happens in one round instead of what should have.
struct Mistake {
  int round = -1;
  double context_times = 1, reward_plus = 0;
};

struct Played {
  std::vector<std::size_t> arms;
  std::vector<bool> best;
  std::size_t let_go = 0;  // notes of it
};

constexpr std::size_t offered = 3;

Params small(const Case& c) {
  const bool exact = c.policy.starts_with("linear-") || c.policy.starts_with("kernel-");
  Params params = exact ? Params{} : Params{{"precision", "float64"}, {"units", "20"}};
  if (!c.forget.empty()) params["forget"] = c.forget;
  return params;
}

// What arm k pays for a context, squashed: x_0 - k x_1; or, where the arm alone tells it and one wonders what
// contexts may still do, k. Seldom: 1 where that by context is large, otherwise nothing, as at first all rounds.
// Turning: by context, and the other way round from a round on.
enum class Pays { by_context, by_arm, seldom, turning };
constexpr int turn = 200;
double pays(Pays kind, const double* x, double k) { return std::tanh(kind == Pays::by_arm ? k : x[0] - x[1] * k); }

// Besides there is noise, less where the arm alone tells.
Played play(const Case& c, const Unit& input, const Unit& reward, const Mistake& mistake = {}, int rounds = 120,
            std::uint64_t seed = 1, Pays kind = Pays::by_context) {
  const auto policy = make_policy(
      {.name = c.policy, .preset = c.preset, .params = small(c), .shape = c.shape, .seed = seed});
  Stream explore(seed, Purpose::exploration), world(seed + 1, Purpose::environment);
  Scratch scratch;
  Decision decision;
  Played out;
  const bool shared = c.shape.blocks > 1;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> x(shared ? c.shape.length : offered * c.shape.length), shown;
    for (double& value : x) value = on_grid(world.normal());
    for (std::size_t i = 0; i < x.size(); ++i)
      if (i % c.shape.length < c.common) x[i] = x[i % c.shape.length];
    for (std::size_t i = 0; i < x.size(); ++i)
      shown.push_back((i % c.shape.length == 0 ? input(x[i]) : x[i]) *
                      (round == mistake.round ? mistake.context_times : 1));
    const Contexts contexts = shared ? Contexts::disjoint(shown, offered) : Contexts::per_arm(shown, offered);
    policy->select(contexts, explore, scratch, decision);
    std::vector<double> paying;
    for (std::size_t k = 0; k < offered; ++k)
      paying.push_back((kind == Pays::turning && round >= turn ? -1 : 1) *
                       pays(kind, x.data() + (shared ? 0 : k * c.shape.length), static_cast<double>(k)));
    const double noise = kind == Pays::by_arm ? 0.02 : 0.2;
    const double told = on_grid(paying[decision.arm] + noise * world.normal()),
                 paid = (kind == Pays::seldom ? (told > 0.8 ? 1 : 0) : told) +
                        (round == mistake.round ? mistake.reward_plus : 0);
    const Finished finished{contexts[decision.arm], reward(paid)};
    policy->played(contexts, decision.arm);
    policy->learn(std::span(&finished, 1));
    out.arms.push_back(decision.arm);
    out.best.push_back(paying[decision.arm] == *std::max_element(paying.begin(), paying.end()));
  }
  for (const std::string& note : policy->notes()) out.let_go += note.find("let go") != std::string::npos;
  return out;
}

const std::vector<std::pair<std::string, std::string>>& standardising() {
  static const std::vector<std::pair<std::string, std::string>> all = {
      {"neural-ts", "tuned"},     {"neural-ts", "fast"},     {"neural-ucb", "tuned"}, {"neural-greedy", "tuned"},
      {"neural-linear", "tuned"}, {"bootstrap-nn", "tuned"}, {"linear-ts", "tuned"},  {"linear-ucb", "tuned"},
      {"kernel-ts", "tuned"},     {"kernel-ucb", "tuned"}};
  return all;
}

TEST(Invariance, UnitsAndOffsetsOfRewardsAndColumnsChangeNoDecision) {
  for (const auto& [policy, preset] : standardising())
    for (const Shape shape : {Shape{3, 3}, Shape{4, 1}}) {
      const Case c{policy, preset, shape};
      const auto plain = play(c, {}, {}).arms;
      EXPECT_EQ(play(c, {}, {.scale = 8, .offset = 1000}).arms, plain) << policy << " " << preset << ": rewards";
      EXPECT_EQ(play(c, {.scale = 0.25, .offset = -4096}, {}).arms, plain)
          << policy << " " << preset << ": a column";
    }
}

TEST(Invariance, HoldsForColumnsThatAllContextsOfADecisionHave) {
  for (const char* policy : {"neural-ts", "neural-ucb"}) {
    const Case c{.policy = policy, .preset = "tuned", .shape = {4, 1}, .common = 2};
    const auto plain = play(c, {}, {}).arms;
    EXPECT_EQ(play(c, {}, {.scale = 8, .offset = 1000}).arms, plain) << policy;
    EXPECT_EQ(play(c, {.scale = 0.25, .offset = -4096}, {}).arms, plain) << policy;
  }
}

// So many columns that a kernel stands in the curve's place.
TEST(Invariance, HoldsForAKernelInTheCurvesPlace) {
  for (const char* policy : {"neural-ts", "neural-ucb"}) {
    const Case c{policy, "tuned", {30, 3}};
    const auto plain = play(c, {}, {}).arms;
    EXPECT_EQ(play(c, {}, {.scale = 8, .offset = 1000}).arms, plain) << policy;
    EXPECT_EQ(play(c, {.scale = 0.25, .offset = -4096}, {}).arms, plain) << policy;
  }
}

TEST(Invariance, HoldsWhileOneWondersWhetherContextsMatter) {
  for (const auto& [policy, preset] : standardising()) {
    const Case c{policy, preset, {3, 3}};
    const auto arms = [&](const Unit& input, const Unit& reward) {
      return play(c, input, reward, {}, 120, 1, Pays::by_arm).arms;
    };
    const auto plain = arms({}, {});
    EXPECT_EQ(arms({}, {.scale = 8, .offset = 1000}), plain) << policy << " " << preset << ": rewards";
    EXPECT_EQ(arms({.scale = 0.25, .offset = -4096}, {}), plain) << policy << " " << preset << ": a column";
  }
}

// What has become wrong is let go of in the same round, whatever the unit and wherever zero is.
TEST(Invariance, HoldsWhereTheWorldChanges) {
  for (const char* policy : {"neural-ts", "linear-ts"})
    for (const Shape shape : {Shape{3, 3}, Shape{4, 1}}) {
      const Case c{policy, "tuned", shape, "auto"};
      const auto played = [&](const Unit& input, const Unit& reward) {
        return play(c, input, reward, {}, turn + 150, 1, Pays::turning);
      };
      const Played plain = played({}, {});
      EXPECT_EQ(plain.let_go, 1u) << policy << ", blocks: " << shape.blocks;
      EXPECT_EQ(played({}, {.scale = 8, .offset = 1000}).arms, plain.arms) << policy << ": rewards";
      EXPECT_EQ(played({.scale = 4096, .offset = -65536}, {}).arms, plain.arms) << policy << ": a column";
    }
}

// Before rewards differ nobody knows their unit, and what is counted then, in one that seems to be theirs, is found in
// few runs alone: so there are many, in half of which nothing is paid at first. A power of two costs no rounding.
TEST(Invariance, OfAUnitHoldsInEveryRunSlow) {
  for (const auto& [policy, preset] : standardising()) {
    const bool the_default = policy == "neural-ts" || policy == "neural-ucb";
    for (const Shape shape : {Shape{3, 3}, Shape{30, 3}, Shape{4, 1}})
      for (const Pays kind : {Pays::by_context, Pays::seldom})
        for (std::uint64_t seed = 1; seed <= (the_default ? 6 : 1); ++seed) {
          const Case c{policy, preset, shape};
          const auto arms = [&](double scale) { return play(c, {}, {.scale = scale}, {}, 100, seed, kind).arms; };
          const auto plain = arms(1);
          for (const double scale : {8.0, 0.125})
            EXPECT_EQ(arms(scale), plain)
                << policy << " " << preset << ", " << shape.length << " columns, seed " << seed;
        }
  }
}

// A seconds-since-1970 column differs in its last digits alone; they must count.
TEST(Invariance, ALargeOffsetCostsNoDigits) {
  for (const auto& [policy, preset] : standardising()) {
    const Case c{policy, preset, {3, 3}};
    EXPECT_EQ(play(c, {.scale = 1, .offset = 1700000000}, {}).arms, play(c, {}, {}).arms) << policy;
  }
}

// The best arm's share of rounds 50 to 400, in three runs, after a context ten billion times too large or a
// reward of a million in round
// 20. Undisturbed it is 0.7 to 0.9. Chance is 0.33: hundreds of rounds of it, which is what this is about, cost
//   0.3 and more. Runs differ
// by about 0.1 (one that settles on the second-best arm loses as much), the mean of three by 0.06: 0.15 is two
// and a half of that.
TEST(WildNumbers, OneOfThemRuinsNothing) {
  for (const auto& [policy, preset] : standardising()) {
    if (policy == "bootstrap-nn") continue;  // ten networks: the same code, slowly
    const Case c{policy, preset, {3, 3}};
    const auto rate = [&](const Mistake& mistake) {
      double count = 0;
      for (const std::uint64_t seed : {1, 2, 3}) {
        const auto best = play(c, {}, {}, mistake, 400, seed).best;
        count += static_cast<double>(std::count(best.begin() + 50, best.end(), true));
      }
      return count / (3 * 350);
    };
    const double calm = rate({});
    EXPECT_GT(calm, 0.55) << policy;
    EXPECT_GT(rate({.round = 20, .context_times = 1e10}), calm - 0.15) << policy << ": a context";
    EXPECT_GT(rate({.round = 20, .reward_plus = 1e6}), calm - 0.15) << policy << ": a reward";
  }
}

}  // namespace
}  // namespace neuralts
