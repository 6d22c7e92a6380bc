// Files of every released version still load, or are refused by their version's name; damage is refused before memory is taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "neuralts/agent.hpp"
#include "neuralts/archive.hpp"
#include "policy/policy_file.hpp"

namespace neuralts {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::string saved(const std::string& name) { return std::string(NEURALTS_GOLDEN_DEFAULT) + "/../policy/saved/" + name; }

TEST(SavedVersions, TheFirstIsRefusedByName) {
  for (const char* name : {"linear-ucb.v1.nts", "neural-ts.v1.nts"})
    EXPECT_THAT([&] { Agent::load(saved(name)); }, ThrowsMessage<Error>(HasSubstr("saved by format version 1")));
}

// Twelve rounds of two arms, and what they had taught when the file was made.
TEST(SavedVersions, TheSecondLoadsAndContinues) {
  for (const char* name : {"linear-ucb", "neural-ts"}) {
    Agent agent = Agent::load(saved(std::string(name) + ".v2.nts"));
    EXPECT_EQ(agent.policy().spec().name, name);
    EXPECT_EQ(agent.policy().spec().shape, (Shape{.length = 3, .blocks = 2}));
    EXPECT_GT(agent.policy().memory(), 0u);
    const std::vector<double> x{0.1, 0.2, 0.3};
    const Decision decision = agent.select(Contexts::disjoint(x, 2));
    EXPECT_NE(decision.mean[0], decision.mean[1]);  // the two arms were paid differently
    agent.learn({x, decision.arm}, 1.0);
  }
}

// What is in force is what was saved, though the preset it was made from says something else.
TEST(SavedVersions, AFileKeepsItsValuesWhateverThePresetBecomes) {
  const auto policy = make_policy({.name = "linear-ucb", .preset = "tuned", .params = {{"nu", "0.37"}}, .shape = {.length = 2}});
  const auto learner = make_saved_learner({.name = "linear-ucb", .preset = "no longer known", .shape = {.length = 2}}, policy->resolved(), "test", 1000);
  EXPECT_EQ(learner->resolved(), policy->resolved());
}

// A specification of 10^15 weights in a file of a few hundred bytes.
TEST(SavedVersions, AStateThatCannotFitIsRefusedBeforeItIsMade) {
  for (const char* name : {"neural-ts", "neural-ucb", "neural-linear", "neural-greedy", "bootstrap-nn", "linear-ts", "linear-ucb"}) {
    const auto policy = make_policy({.name = name, .shape = {.length = 2}});
    const PolicySpec huge{.name = name, .preset = "tuned", .shape = {.length = 1'000'000, .blocks = 10'000'000}};
    EXPECT_THAT([&] { make_saved_learner(huge, policy->resolved(), "test", 4096); }, ThrowsMessage<Error>(HasSubstr("smaller than its specification")))
        << name;
  }
}

}  // namespace
}  // namespace neuralts
