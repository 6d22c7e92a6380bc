// Files of every released version still load, or are refused by their version's name; damage is refused before memory is taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

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
  for (const std::string file : {"linear-ucb.v1", "neural-ts.v1", "linear-ucb.v2", "neural-ts.v2", "neural-ts.v3"})
    EXPECT_THAT([&] { Agent::load(saved(file + ".nts")); }, ThrowsMessage<Error>(HasSubstr("saved by format version " + file.substr(file.size() - 1))));
}

struct Said {
  std::string file;
  std::array<double, 3> mean, width;
};

// What a saved policy says of (0.5, -1) in three blocks, to `precision`.
void expect_said(const Said& said, double precision) {
  const auto policy = load_policy(saved(said.file));
  Stream explore(1, Purpose::exploration);
  Scratch scratch;
  Decision decision;
  policy->select(Contexts::disjoint(std::array{0.5, -1.0}, 3), explore, scratch, decision);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(decision.mean[k], said.mean[k], precision) << said.file;
    EXPECT_NEAR(decision.width[k], said.width[k], precision) << said.file;
  }
}

// Saved before their presets standardised: twelve rounds in three blocks.
TEST(SavedVersions, LinearAndKernelFilesOfVersionThreeGoOnAsTheyWere) {
  expect_said({"linear-ucb.v3.nts",
               {0.37807179883167569, -0.9331824689636613, 0.086459049739789656},
               {0.54720355474635485, 0.30673855253241045, 1.0763334272784748}}, 1e-14);
  expect_said({"linear-ts.v3.nts",
               {0, -0.94757717154818566, 0.16923011285073947},
               {1.1180339887498949, 0.27946550903448641, 0.98699485004856036}}, 1e-14);
  expect_said({"kernel-ts.v3.nts",
               {0.041613571276206657, -0.37599480765620541, 0.056364045604862446},
               {0.94320225023434034, 0.89817506713739503, 0.94409226072544705}}, 1e-14);
}

// Twelve rounds of the tuned presets. The network is float32. The widths follow from constants that no file holds: whoever changes
// them changes these.
TEST(SavedVersions, FilesOfVersionFourGoOnAsTheyWere) {
  expect_said({"neural-ts.v4.nts",
               {0.226679563, 0.316503321, 0.884452283},
               {0.264086311, 0.267535008, 0.215309505}}, 1e-5);
  expect_said({"linear-ts.v4.nts",
               {0.211946828, 0.490606888, 0.274168049},
               {0.586177665, 0.230688221, 0.607917191}}, 1e-8);
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
