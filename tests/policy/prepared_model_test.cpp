#include "policy/prepared_model.hpp"

#include <gtest/gtest.h>

#include "neuralts/policy.hpp"
#include "policy/small_world.hpp"

namespace neuralts {
namespace {

std::shared_ptr<const Model> taught(const std::string& policy, const SmallWorld& world, std::size_t rounds) {
  const auto learning = make_policy({.name = policy, .shape = world.shape});
  Player(world).play(*learning, rounds);
  return learning->publish();
}

Decision decided(const Model& model, const SmallWorld& world, std::size_t round) {
  Stream explore(9, Purpose::exploration);
  Scratch scratch;
  Decision out;
  std::vector<double> numbers;
  model.select(world.contexts(round, numbers), explore, scratch, out);
  return out;
}

// What is left of a variance is computed in single precision: its relative error is some q 2^-24 at most, q <
// 100 features, and more where little is left (a part in a thousand of the prior here at least); a
// probability's derivative by a width is below 1.
TEST(PreparedModel, DecidesAlikeButForRounding) {
  for (const char* policy : {"neural-ts", "neural-ucb"})
    for (const std::size_t rounds : {0, 1, 40}) {
      const auto model = taught(policy, per_arm_world, rounds), ready = prepared_model(model);
      ASSERT_NE(ready, model);
      EXPECT_EQ(model_to_bytes(*ready), model_to_bytes(*model));
      for (std::size_t i = 0; i < 10; ++i) {
        const Decision asked = decided(*model, per_arm_world, 100 + i),
                       answered = decided(*ready, per_arm_world, 100 + i);
        for (std::size_t k = 0; k < asked.mean.size(); ++k) {
          EXPECT_EQ(answered.mean[k], asked.mean[k]);
          EXPECT_NEAR(answered.width[k], asked.width[k], 1e-4 * asked.width[k]);
          EXPECT_NEAR(answered.probabilities[k], asked.probabilities[k], 1e-4)
              << policy << ", " << rounds << " rounds, arm " << k;
        }
      }
    }
}

TEST(PreparedModel, PreparedAgainOrFromItsBytesDecidesToTheLastBit) {
  const auto model = taught("neural-ts", per_arm_world, 40), ready = prepared_model(model);
  const auto read = prepared_model(model_from_bytes(model_to_bytes(*ready), "test"));
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_TRUE(decided(*read, per_arm_world, i) == decided(*ready, per_arm_world, i));
}

TEST(PreparedModel, IsTheModelItselfWhereNothingCanBePrepared) {
  const auto model = taught("linear-ts", per_arm_world, 10);
  EXPECT_EQ(prepared_model(model), model);
}

TEST(PreparedModel, OfArmsWithWeightsOfTheirOwnIsTheSameToTheLastBit) {
  const auto model = taught("neural-ts", disjoint_world, 20), ready = prepared_model(model);
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_TRUE(decided(*ready, disjoint_world, i) == decided(*model, disjoint_world, i));
}

}  // namespace
}  // namespace neuralts
