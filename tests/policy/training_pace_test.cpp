// How often a network is trained where that depends on the work of a step.
#include <gtest/gtest.h>

#include "neuralts/policy.hpp"

namespace neuralts {
namespace {

// Means after 40 rounds of one arm, contexts of `length` numbers.
std::vector<double> learned(const std::string& train, std::size_t length) {
  const auto policy = make_policy({.name = "neural-ts",
                                   .preset = "tuned",
                                   .params = {{"train", train}, {"beside", "nothing"}, {"iterations", "1"}},
                                   .shape = {.length = length}});
  Stream stream(2, Purpose::environment), explore(1, Purpose::exploration);
  Scratch scratch;
  Decision decision;
  std::vector<double> x(length), means;
  for (int round = 0; round < 40; ++round) {
    for (double& value : x) value = stream.normal();
    const Contexts one = Contexts::per_arm(x, 1);
    policy->select(one, explore, scratch, decision);
    means.push_back(decision.mean[0]);
    const Finished finished{one[0], x[0] - x[1]};
    policy->learn({&finished, 1});
  }
  return means;
}

// A step over 256 rounds takes 256 * 100 * 4 d operations: 2 million at d = 20, 82 million at d = 800, of which
// a round may cost 11.
TEST(TrainingPace, IsSlowerWhereAStepIsLarge) {
  EXPECT_EQ(learned("auto:2..8", 20), learned("every:2..8", 20));
  EXPECT_NE(learned("auto:2..8", 800), learned("every:2..8", 800));
  EXPECT_EQ(learned("auto:2..8", 800), learned("every:8", 800));
  EXPECT_EQ(learned("auto:2..3", 800), learned("every:8", 800));
}

TEST(TrainingPace, RefusesWhatIsNoPair) {
  for (const char* train : {"auto:", "auto:2..", "auto:..8", "auto:8..2", "auto:0..2", "auto:x..8"})
    EXPECT_THROW(learned(train, 20), std::exception) << train;
}

}  // namespace
}  // namespace neuralts
