// The policy one gets without asking for anything: it learns what a straight line cannot say.
#include <gtest/gtest.h>

#include "neuralts/run.hpp"

namespace neuralts {
namespace {

double regret(const std::string& policy, const std::string& env, std::uint64_t seed, std::size_t rounds) {
  RunSpec spec{.env = env, .policy = {.name = policy}, .seed = seed, .rounds = rounds, .delay = {}};
  return run(*make_environment(env), spec).regret;
}

// The reward is the square of a product with a hidden vector: chance and every linear policy lose a constant amount a round, a policy that
// has learned loses nearly nothing. One that learned within the first third and then played well would end at about a third of chance;
// half of it, in sum over three seeds, leaves room for an unlucky one and none for a policy that does not learn.
TEST(DefaultPolicy, LearnsASquareSlow) {
  double learned = 0, chance = 0, linear = 0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    learned += regret(PolicySpec{}.name, "quadratic:dim=8,arms=4,noise=0.1", seed, 600);
    chance += regret("random", "quadratic:dim=8,arms=4,noise=0.1", seed, 600);
    linear += regret("linear-ucb", "quadratic:dim=8,arms=4,noise=0.1", seed, 600);
  }
  EXPECT_LT(learned, chance / 2);
  EXPECT_LT(learned, linear);
}

}  // namespace
}  // namespace neuralts
