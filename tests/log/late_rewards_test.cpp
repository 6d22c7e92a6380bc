// Late rewards against the standard library's map, which says what is meant.
#include "log/late_rewards.hpp"

#include <gtest/gtest.h>

#include <unordered_map>

#include "neuralts/random.hpp"

namespace neuralts {
namespace {

TEST(LateRewards, AreFoundByIdAsInAMap) {
  Stream stream(1, Purpose::environment);
  LateRewards rewards;
  std::unordered_map<std::string, double> meant;
  for (std::size_t i = 0; i < 5000; ++i) {
    // "", "x", "xx" and "xxx" begin alike; the number makes most of them differ.
    const std::string id(stream.below(4), 'x');
    const std::string named = id + std::to_string(stream.below(3000));
    const bool is_new = meant.emplace(named, static_cast<double>(i)).second;
    EXPECT_EQ(rewards.add(named, {.reward = static_cast<double>(i), .line = i}), is_new);
  }
  EXPECT_EQ(rewards.size(), meant.size());
  for (const auto& [id, reward] : meant) {
    ASSERT_NE(rewards.find(id), nullptr) << id;
    EXPECT_EQ(rewards.find(id)->reward, reward);
  }
  EXPECT_EQ(rewards.find("y"), nullptr);
  EXPECT_EQ(rewards.find(""), nullptr);
}

TEST(LateRewards, NameTheFirstThatWasNeverUsed) {
  LateRewards rewards;
  EXPECT_EQ(rewards.first_unused(), nullptr);
  EXPECT_EQ(rewards.find("a"), nullptr);
  for (std::size_t line = 1; line <= 3; ++line) rewards.add(std::to_string(line), {.line = line});
  rewards.find("1")->used = true;
  EXPECT_EQ(rewards.first_unused()->line, 2u);
  rewards.find("2")->used = rewards.find("3")->used = true;
  EXPECT_EQ(rewards.first_unused(), nullptr);
}

}  // namespace
}  // namespace neuralts
