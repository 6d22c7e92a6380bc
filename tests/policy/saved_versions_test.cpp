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

TEST(SavedVersions, OlderOnesAreRefusedByName) {
  for (const char* version : {"1", "2"})
    for (const char* name : {"linear-ucb", "neural-ts"})
      EXPECT_THAT([&] { Agent::load(saved(std::string(name) + ".v" + version + ".nts")); },
                  ThrowsMessage<Error>(HasSubstr(std::string("saved by format version ") + version)));
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
