// The worked example of CONTRIBUTING.md: compiled, run, and quoted there word for word.
#include "policy/example_policy.cpp"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <sstream>

#include "policy/small_world.hpp"

namespace neuralts {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::unique_ptr<Policy> make_example(const Params& given) {
  const PolicyEntry entry = linear_softmax_entry();
  return std::make_unique<Policy>(
      entry.make({.name = entry.info.name, .preset = "tuned", .params = given, .shape = disjoint_world.shape},
                 resolve("policy " + entry.info.name, entry.info.params, {}, given)));
}

TEST(ExamplePolicy, IsTheOneThatContributingShows) {
  const std::string source = std::string(NEURALTS_GOLDEN_DEFAULT) + "/../..";
  const std::string example = text_of(source + "/tests/policy/example_policy.cpp");
  ASSERT_FALSE(example.empty());
  EXPECT_NE(text_of(source + "/CONTRIBUTING.md").find("```cpp\n" + example + "```\n"), std::string::npos);
}

TEST(ExamplePolicy, PlaysAndLearns) {
  const auto policy = make_example({});
  Player player(disjoint_world);
  for (int i = 0; i < 30; ++i) {
    const Decision d = player.play(*policy);
    EXPECT_NEAR(std::accumulate(d.probabilities.begin(), d.probabilities.end(), 0.0), 1, 1e-12);
    EXPECT_EQ(d.probability, d.probabilities[d.arm]);
    for (std::size_t k = 1; k < d.mean.size(); ++k)
      EXPECT_NEAR(std::log(d.probabilities[k] / d.probabilities[0]), (d.mean[k] - d.mean[0]) / 0.1, 1e-9);
  }
  EXPECT_GT(policy->memory(), 0u);
  EXPECT_THROW(make_example({{"temperature", "0"}}), Error);
}

}  // namespace
}  // namespace neuralts
