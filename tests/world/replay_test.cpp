// Logs of three kinds as worlds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "log/logged.hpp"
#include "base/temp_folder.hpp"
#include "neuralts/environment.hpp"
#include "neuralts/world_facts.hpp"

namespace neuralts {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

Log read(std::string_view text) {
  LogReader reader(text, "f.log");
  return collect_log(reader);
}

std::vector<double> row(const Log& log, std::size_t i) {
  std::vector<double> values(log.shape.length);
  log.row(i, values);
  return values;
}

TEST(VwText, SharedAndOwnFeaturesBecomeColumns) {
  const Log log = read(
      "shared |User age:30 city=Rome\n"
      "| sport\n"
      "0:-2:0.25 |Topic:2 politics price:0.5\n"
      "\n"
      "shared |User age:40\n| nothing labelled\n| here\n\n"
      "1:1:1 | sport\n| arts\n");
  EXPECT_THAT(log.column_names, ElementsAreArray({"User^age", "User^city=Rome", "sport", "Topic^politics",
                                                  "Topic^price", "arts"}));
  ASSERT_EQ(log.events().size(), 2u);
  const auto& first = log.events()[0];
  EXPECT_EQ(first.arms, 2u);
  EXPECT_EQ(first.arm, 1u);
  EXPECT_EQ(first.reward, 2);
  EXPECT_EQ(first.probability, 0.25);
  EXPECT_THAT(row(log, first.first_row), ElementsAre(30, 1, 1, 0, 0, 0));
  EXPECT_THAT(row(log, first.first_row + 1), ElementsAre(30, 1, 0, 2, 1, 0));
  EXPECT_EQ(log.events()[1].arm, 0u);
  EXPECT_EQ(log.events()[1].reward, -1);
}

TEST(VwText, ASharedLineBeginsADecisionEvenWithoutAnEmptyLine) {
  EXPECT_EQ(read("shared | u\n0:1:1 | a\nshared | u\n0:1:1 | a\n").events().size(), 2u);
}

TEST(Dsjson, NestedFeaturesBecomeColumns) {
  const Log log = read(
      R"({"_label_cost":-1,"_label_probability":0.8,"_label_Action":2,"_labelIndex":1,"a":[2,1],"p":[0.8,0.2],)"
      R"("c":{"User":{"age":30,"city":"Rome","member":true,"guest":false,"_id":5},"_multi":[{"T":{"v":[7,8]}},{"T":{"tags":["x","y"]}}]}})"
      "\n"
      R"({"RewardValue":1,"EventId":"abc"})"
      "\n");
  EXPECT_THAT(log.column_names, ElementsAreArray({"User.age", "User.city=Rome", "User.member", "T.v[0]",
                                                  "T.v[1]", "T.tags=x", "T.tags=y"}));
  ASSERT_EQ(log.events().size(), 1u);
  EXPECT_EQ(log.events()[0].arm, 1u);
  EXPECT_EQ(log.events()[0].reward, 1);
  EXPECT_THAT(row(log, 0), ElementsAre(30, 1, 1, 7, 8, 0, 0));
  EXPECT_THAT(row(log, 1), ElementsAre(30, 1, 1, 0, 0, 1, 1));
}

// 1,000 rounds, two arms; arm 0 was played with probability 0.8 and pays 1, arm 1 pays 0.
std::string skewed_log() {
  std::string text = "{\"neuralts_log\":1,\"block\":1,\"blocks\":2,\"arm_labels\":[\"a\",\"b\"]}\n";
  for (int t = 0; t < 1000; ++t) {
    const bool first = t % 5 != 0;
    text += std::string("{\"shared\":[1],\"blocks\":[0,1],\"arm\":") +
            (first ? "0,\"reward\":1" : "1,\"reward\":0") + ",\"probabilities\":[0.8,0.2]}\n";
  }
  return text;
}

TEST(Replay, ARoundCountsWhenTheArmWasPlayed) {
  const TempFolder folder;
  const auto env = make_environment("log:" + folder.write("f.log", skewed_log()));
  EXPECT_EQ(env->info().rounds, 1000u);
  EXPECT_EQ(env->info().max_arms, 2u);
  EXPECT_EQ(env->info().shape, (Shape{1, 2}));
  EXPECT_THAT(env->info().arm_labels, ElementsAre("a", "b"));
  const auto episode = env->start(1);
  ASSERT_TRUE(episode->next());
  EXPECT_TRUE(episode->expected().empty());
  EXPECT_FALSE(episode->reward(0)) << "the first event played arm 1";
  EXPECT_EQ(episode->reward(1), 0);
  int rounds = 1;
  while (episode->next()) ++rounds;
  EXPECT_EQ(rounds, 1000);
}

TEST(Replay, ThinningMakesTheLogUniform) {
  const TempFolder folder;
  const auto episode =
      make_environment("log:" + folder.write("f.log", skewed_log()) + ":thin=true,shuffle=true")->start(3);
  int kept[2] = {0, 0};
  while (episode->next())
    for (std::size_t arm : {0, 1}) kept[arm] += episode->reward(arm).has_value();
  EXPECT_EQ(kept[1], 200);
  // 800 events kept with probability 1/4: 200, standard deviation 12.2, five of them.
  EXPECT_NEAR(kept[0], 200, 62);
}

TEST(Replay, ShuffleOrdersBySeed) {
  const TempFolder folder;
  const std::string spec = "log:file=" + folder.write("f.log", skewed_log()) + ",shuffle=true";
  const auto order = [&](std::uint64_t seed) {
    const auto episode = make_environment(spec)->start(seed);
    std::vector<bool> played;
    while (episode->next()) played.push_back(episode->reward(0).has_value());
    return played;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST(Replay, WithoutAFile) {
  EXPECT_THROW((void)make_environment("log"), Error);
  EXPECT_THROW((void)make_environment("log:/nowhere/f.log"), Error);
  EXPECT_THROW((void)make_environment("log:/nowhere/f.log:shufle=true"), Error);
}

TEST(ReplayWorld, ALogThatWasNotUniformIsSaidToBeBiased) {
  const TempFolder folder;
  const auto notes = [&](const std::string& probability, const std::string& params = "") {
    const std::string path = folder.write("f.vw", "0:1:" + probability + " | a\n| b\n\n0:1:0.5 | a\n| b\n");
    return world_notes(*make_environment("log:" + path + params));
  };
  EXPECT_TRUE(notes("0.5").empty());
  ASSERT_EQ(notes("0.9").size(), 1U);
  EXPECT_THAT(notes("0.9").front(), testing::AllOf(testing::HasSubstr("biased"), testing::HasSubstr("thin=true")));
  ASSERT_EQ(notes("1", ":thin=true").size(), 1U);
  // 1.5 of 2.
  EXPECT_THAT(notes("1", ":thin=true").front(), testing::HasSubstr("leaves about 2 of 2 events (75.0 %)"));
}

}  // namespace
}  // namespace neuralts
