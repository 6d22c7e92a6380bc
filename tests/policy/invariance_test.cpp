// Presets that standardise do not know what a unit is or where zero lies.
#include <gtest/gtest.h>

#include <cmath>

#include "neuralts/policy.hpp"

namespace neuralts {
namespace {

// y = scale x + offset. Scales are powers of two and all numbers lie on a coarse grid, so that the two runs see the same digits and
// differ by rounding alone.
struct Unit {
  double scale = 1, offset = 0;
  double operator()(double x) const { return scale * x + offset; }
};

double on_grid(double x) { return std::round(64 * x) / 64; }

struct Case {
  std::string policy, preset;
  Shape shape;
};

std::vector<std::size_t> arms_played(const Case& c, const Unit& input, const Unit& reward) {
  const PolicySpec spec{.name = c.policy, .preset = c.preset, .params = {{"precision", "float64"}, {"units", "20"}}, .shape = c.shape, .seed = 3};
  const auto policy = make_policy(spec);
  Stream explore(1, Purpose::exploration), world(2, Purpose::environment);
  Scratch scratch;
  Decision decision;
  std::vector<std::size_t> arms;
  constexpr std::size_t offered = 3;
  for (int round = 0; round < 120; ++round) {
    std::vector<double> x(c.shape.blocks > 1 ? c.shape.length : offered * c.shape.length), shown;
    for (double& value : x) value = on_grid(world.normal());
    for (std::size_t i = 0; i < x.size(); ++i) shown.push_back(i % c.shape.length == 0 ? input(x[i]) : x[i]);
    const Contexts contexts = c.shape.blocks > 1 ? Contexts::disjoint(shown, offered) : Contexts::per_arm(shown, offered);
    policy->select(contexts, explore, scratch, decision);
    const std::size_t first = c.shape.blocks > 1 ? 0 : decision.arm * c.shape.length;
    const double paid = on_grid(std::tanh(x[first] - x[first + 1] * static_cast<double>(decision.arm)) + 0.2 * world.normal());
    const Finished finished{contexts[decision.arm], reward(paid)};
    policy->played(finished.context);
    policy->learn(std::span(&finished, 1));
    arms.push_back(decision.arm);
  }
  return arms;
}

TEST(Invariance, UnitsAndOffsetsOfRewardsAndColumnsChangeNoDecision) {
  const std::vector<std::pair<std::string, std::string>> policies = {
      {"neural-ts", "tuned"}, {"neural-ts", "fast"}, {"neural-ucb", "tuned"}, {"neural-greedy", "tuned"}, {"neural-linear", "tuned"}};
  for (const auto& [policy, preset] : policies)
    for (const Shape shape : {Shape{3, 3}, Shape{4, 1}}) {
      if (policy == "neural-ucb" && shape.blocks == 1) continue;  // meets two scores 1e-5 apart, which training's rounding decides
      const Case c{policy, preset, shape};
      const auto plain = arms_played(c, {}, {});
      EXPECT_EQ(arms_played(c, {}, {.scale = 8, .offset = 1000}), plain) << policy << " " << preset << ": rewards";
      EXPECT_EQ(arms_played(c, {.scale = 0.25, .offset = -4096}, {}), plain) << policy << " " << preset << ": a column";
    }
}

// A seconds-since-1970 column differs in its last digits alone; they must count.
TEST(Invariance, ALargeOffsetCostsNoDigits) {
  const Case c{"neural-ts", "tuned", {3, 3}};
  EXPECT_EQ(arms_played(c, {.scale = 1, .offset = 1700000000}, {}), arms_played(c, {}, {}));
}

}  // namespace
}  // namespace neuralts
