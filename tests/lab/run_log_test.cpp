// A run's log, written and replayed.
#include "neuralts/run_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temp_folder.hpp"

namespace neuralts {
namespace {

RunSpec spec_of(const std::string& env, const std::string& policy) {
  RunSpec spec;
  spec.env = env;
  spec.policy.name = policy;
  spec.seed = 5;
  spec.rounds = 60;
  return spec;
}

RunResult logged_run(const RunSpec& spec, const std::string& path) {
  const auto env = make_environment(spec.env);
  RunLog log(path, env->info(), spec);
  auto result = run(
      *env, spec,
      {.progress = {}, .record = [&](const RoundRecord& record) { log.write(record); }, .stop = {}});
  log.finish();
  return result;
}

class RunLogs : public testing::TestWithParam<const char*> {};

TEST_P(RunLogs, ReplayShowsTheSameRoundsToTheLastBit) {
  const TempFolder folder;
  const auto spec = spec_of(GetParam(), "random");
  logged_run(spec, folder.file("run.log"));
  EXPECT_THAT(folder.names(), testing::ElementsAre("run.log"));
  const auto replay = make_environment("log:" + folder.file("run.log"));
  const auto world = make_environment(spec.env);
  EXPECT_EQ(replay->info().shape, world->info().shape);
  const auto again = replay->start(1), original = world->start(spec.seed);
  for (std::size_t t = 0; t < spec.rounds; ++t) {
    ASSERT_TRUE(again->next() && original->next());
    ASSERT_EQ(again->contexts().arms(), original->contexts().arms());
    int played = 0;
    for (std::size_t k = 0; k < again->contexts().arms(); ++k) {
      const auto x = again->contexts()[k], y = original->contexts()[k];
      EXPECT_EQ(x.block, y.block);
      EXPECT_TRUE(std::equal(x.values.begin(), x.values.end(), y.values.begin(), y.values.end()));
      if (const auto reward = again->reward(k)) {
        EXPECT_EQ(reward, original->reward(k));
        ++played;
      }
    }
    EXPECT_EQ(played, 1);
  }
  EXPECT_FALSE(again->next());
}

INSTANTIATE_TEST_SUITE_P(Worlds, RunLogs, testing::Values("quadratic", "wheel", "sleeping"),
                         [](const auto& world) { return std::string(world.param); });

// Both draw from the same stream in the same way, so that every choice agrees and every round counts.
TEST(RunLog, ThePolicyThatWroteALogAgreesWithIt) {
  const TempFolder folder;
  auto spec = spec_of("sleeping", "random");
  const auto first = logged_run(spec, folder.file("run.log"));
  spec.env = "log:" + folder.file("run.log");
  const auto second = run(*make_environment(spec.env), spec);
  EXPECT_EQ(second.rounds, first.rounds);
  EXPECT_EQ(second.reward, first.reward);
}

TEST(RunLog, ARunThatDoesNotFinishLeavesNothing) {
  const TempFolder folder;
  { const RunLog log(folder.file("run.log"), make_environment("wheel")->info(), spec_of("wheel", "random")); }
  EXPECT_THAT(folder.names(), testing::IsEmpty());
  EXPECT_THROW(RunLog("/nowhere/run.log", make_environment("wheel")->info(), spec_of("wheel", "random")), Error);
}

}  // namespace
}  // namespace neuralts
