// Files of every released version still load, or are refused by their version's name; damage is refused before
// memory is taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "base/file.hpp"
#include "neuralts/agent.hpp"
#include "neuralts/archive.hpp"
#include "policy/policy_file.hpp"
#include "policy/small_world.hpp"

namespace neuralts {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::string saved(const std::string& name) {
  return std::string(NEURALTS_GOLDEN_DEFAULT) + "/../policy/saved/" + name;
}

TEST(SavedVersions, OlderOnesAreRefusedByName) {
  for (const std::string file :
       {"linear-ucb.v1", "neural-ts.v1", "linear-ucb.v2", "neural-ts.v2", "neural-ts.v3", "neural-ts.v4"})
    EXPECT_THAT([&] { Agent::load(saved(file + ".nts")); },
                ThrowsMessage<Error>(HasSubstr("saved by format version " + file.substr(file.size() - 1))));
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

// Twelve rounds of the tuned preset.
TEST(SavedVersions, LinearFilesOfVersionFourGoOnAsTheyWere) {
  expect_said({"linear-ts.v4.nts",
               {0.211946828, 0.490606888, 0.274168049},
               {0.586177665, 0.230688221, 0.607917191}}, 1e-8);
}

// Without what has come to the preset since.
struct Since {
  std::string early = "nothing", bends = "false", neighbours = "false", logistic = "false";
  bool clicks = false;  // instead of rewards of any size
};
std::unique_ptr<Policy> default_of_twelve_rounds(const SmallWorld& world, const Since& since) {
  auto policy = make_policy({.name = "neural-ts",
                             .params = {{"units", "8"},
                                        {"early", since.early},
                                        {"early-intercept", "0"},
                                        {"bends", since.bends},
                                        {"neighbours", since.neighbours},
                                        {"logistic", since.logistic}},
                             .shape = world.shape,
                             .seed = 5});
  std::vector<double> numbers;
  for (std::size_t round = 0; round < 12; ++round) {
    const Contexts contexts = world.contexts(round, numbers);
    const double reward = world.reward(contexts[round % 3]);
    const Finished finished{contexts[round % 3], since.clicks ? (reward > 0.5 ? 1.0 : 0.0) : reward};
    policy->played(finished.context);
    policy->learn(std::span(&finished, 1));
  }
  return policy;
}

struct Precision {
  double mean, width;
};
// What is computed from a file alone is the same on every machine but for a forward pass in float32.
constexpr Precision of_rounding{1e-5, 1e-5};
// What is learned is not: Adam makes a step of a gradient that is zero but for rounding, and after twelve rounds networks of
// arm64 and x86-64 forecast up to 10^-3 deviations apart. Where contexts share their weights, and the network has no share in
// the mean yet, doubt hears that: width^2 = deviation^2 doubt and others, which a forecast moves by
// open * share * distance = 0.95 * 0.27 * 0.3 times as much, and so a width of 0.09 by 1.6 10^-4 (the deviation is 0.6).
constexpr Precision of_machines{1e-5, 2e-4};
// The noise of version 5, by a rule that has changed since, from one round in twelve more than today, is worth 10^-4.
constexpr Precision of_another_noise{3e-4, 3e-4};

// Of a round that was not learned.
Decision said_by(const Policy& policy, const SmallWorld& world) {
  std::vector<double> numbers;
  Stream explore(1, Purpose::exploration);
  Scratch scratch;
  Decision decision;
  policy.select(world.contexts(20, numbers), explore, scratch, decision);
  return decision;
}

void expect_near(const Decision& one, const Decision& other, const Precision& precision, const std::string& file) {
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(one.mean[k], other.mean[k], precision.mean) << file;
    EXPECT_NEAR(one.width[k], other.width[k], precision.width) << file;
  }
}

// A file against the rounds it was made of, learned again, maybe on another machine.
void expect_like_its_rounds(const std::string& file, const SmallWorld& world, const Precision& precision,
                            const Since& since = {}) {
  expect_near(said_by(*load_policy(saved(file)), world), said_by(*default_of_twelve_rounds(world, since), world), precision,
              file);
}

const SmallWorld own_weights{{.length = 2, .blocks = 3}, 3}, shared_weights{{.length = 2, .blocks = 1}, 3};

// Widths follow from constants that no file holds.
TEST(SavedVersions, TheDefaultOfVersionFiveGoesOnAsItWas) {
  expect_like_its_rounds("neural-ts.v5.nts", own_weights, of_another_noise);
}

// Of hopes, which version 5 did not count, none has come true and none has failed.
TEST(SavedVersions, TheDefaultOfVersionFiveWhereWeightsAreSharedGoesOnAsItWas) {
  expect_like_its_rounds("neural-ts-shared.v5.nts", shared_weights, of_another_noise);
}

TEST(SavedVersions, TheDefaultOfVersionSixWhereWeightsAreSharedGoesOnAsItWas) {
  expect_like_its_rounds("neural-ts-shared.v6.nts", shared_weights, of_machines);
}

// Contexts' sizes, which version 6 did not keep, follow from its rounds.
TEST(SavedVersions, TheDefaultOfVersionSixGoesOnAsItWas) {
  expect_like_its_rounds("neural-ts.v6.nts", own_weights, of_rounding);
}

TEST(SavedVersions, TheDefaultOfVersionSevenGoesOnAsItWas) {
  expect_like_its_rounds("neural-ts.v7.nts", own_weights, of_rounding);
}

// It was to begin with a kernel, and no kernel of that version spoke of contexts that share their weights.
TEST(SavedVersions, TheDefaultOfVersionSevenWhereWeightsAreSharedGoesOnAsItWas) {
  expect_like_its_rounds("neural-ts-shared.v7.nts", shared_weights, of_machines);
}

TEST(SavedVersions, TheDefaultOfVersionEightGoesOnAsItWas) {
  expect_like_its_rounds("neural-ts-shared.v8.nts", shared_weights, of_machines, {.early = "kernel"});
}

// They hold the same rounds, learned on one machine.
TEST(SavedVersions, WhatFilesOfSharedWeightsSayDoesNotDependOnTheirVersion) {
  const Decision newest = said_by(*load_policy(saved("neural-ts-shared.v8.nts")), shared_weights);
  for (const char* file : {"neural-ts-shared.v6.nts", "neural-ts-shared.v7.nts"})
    expect_near(said_by(*load_policy(saved(file)), shared_weights), newest, of_rounding, file);
}

TEST(SavedVersions, TheDefaultOfVersionNineGoesOnAsItWas) {
  expect_like_its_rounds("neural-ts.v9.nts", own_weights, of_rounding, {.early = "kernel", .bends = "true"});
}

TEST(SavedVersions, TheDefaultOfVersionTenGoesOnAsItWas) {
  expect_like_its_rounds("neural-ts.v10.nts", own_weights, of_rounding, {.early = "kernel", .bends = "true"});
}

TEST(SavedVersions, TheDefaultOfVersionElevenGoesOnAsItWas) {
  expect_like_its_rounds("neural-ts.v11.nts", own_weights, of_rounding,
                         {.early = "kernel", .bends = "true", .neighbours = "true"});
}

const Since clicked{.early = "kernel", .bends = "true", .neighbours = "true", .logistic = "true", .clicks = true};

TEST(SavedVersions, TheDefaultOfVersionTwelveGoesOnAsItWas) {
  expect_like_its_rounds("neural-ts.v12.nts", own_weights, of_rounding, clicked);
}

TEST(SavedVersions, TheDefaultOfVersionThirteenGoesOnAsItWas) {
  expect_like_its_rounds("neural-ts.v13.nts", own_weights, of_rounding, clicked);
}

// Recorded by NEURALTS_RECORD=1, once a version.
TEST(SavedVersions, TheDefaultOfVersionFourteenGoesOnAsItWas) {
  constexpr const char* file = "neural-ts-shared.v14.nts";
  const Since all{.early = "kernel", .neighbours = "true"};
  if (std::getenv("NEURALTS_RECORD") != nullptr) save_policy(*default_of_twelve_rounds(shared_weights, all), saved(file));
  expect_like_its_rounds(file, shared_weights, of_machines, all);
}

// Twenty rounds, watched by short memories of another kind: those of today begin with the next round, and the change that
// comes later is noticed.
TEST(SavedVersions, AFileThatForgetsGoesOnWatching) {
  const auto policy = load_policy(saved("linear-ucb-forgetting.v7.nts"));
  Stream stream(8, Purpose::environment);
  for (int round = 20; round < 600; ++round) {
    const double x = stream.normal();
    const Finished finished{{{&x, 1}}, (round < 400 ? x : -x) + 0.1 * stream.normal()};
    policy->learn({&finished, 1});
    ASSERT_TRUE(round >= 400 || policy->notes().empty()) << round;
  }
  EXPECT_EQ(policy->notes().size(), 1u);
}

// What is in force is what was saved, though the preset it was made from says something else.
TEST(SavedVersions, AFileKeepsItsValuesWhateverThePresetBecomes) {
  const auto policy = make_policy(
      {.name = "linear-ucb", .preset = "tuned", .params = {{"nu", "0.37"}}, .shape = {.length = 2}});
  const auto learner = make_saved_learner(
      {.name = "linear-ucb", .preset = "no longer known", .shape = {.length = 2}}, policy->resolved(), "test",
      1000);
  EXPECT_EQ(learner->resolved(), policy->resolved());
}

// A specification of 10^15 weights in a file of a few hundred bytes.
TEST(SavedVersions, AStateThatCannotFitIsRefusedBeforeItIsMade) {
  for (const char* name : {"neural-ts", "neural-ucb", "neural-linear", "neural-greedy", "bootstrap-nn",
                           "linear-ts", "linear-ucb"}) {
    const auto policy = make_policy({.name = name, .shape = {.length = 2}});
    const PolicySpec huge{.name = name, .preset = "tuned", .shape = {.length = 1'000'000, .blocks = 10'000'000}};
    EXPECT_THAT([&] { make_saved_learner(huge, policy->resolved(), "test", 4096); },
                ThrowsMessage<Error>(HasSubstr("smaller than its specification")))
        << name;
  }
}

}  // namespace
}  // namespace neuralts
