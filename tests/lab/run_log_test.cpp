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

// An even choice among the arms agrees with the log in a round of K arms with probability 1/K, whatever the log's
// choices were drawn from: of 600 rounds of three arms in 200, standard deviation 11.5, five of them.
TEST(RunLog, APolicyOfTheLogsOwnSeedDrawsForItself) {
  const TempFolder folder;
  auto spec = spec_of("quadratic:arms=3,dim=2", "random");
  spec.rounds = 600;
  logged_run(spec, folder.file("run.log"));
  spec.env = "log:" + folder.file("run.log");
  const auto replayed = run(*make_environment(spec.env), spec);
  EXPECT_EQ(replayed.offered, 600U);
  EXPECT_NEAR(static_cast<double>(replayed.rounds), 200, 58);
}

// Nor does what is kept by thinning, or the order, follow what the log's world has drawn.
TEST(RunLog, AReplayedWorldDrawsForItself) {
  const TempFolder folder;
  std::string rows = "x,class\n";
  for (int i = 0; i < 40; ++i) rows += std::to_string(i) + (i % 2 == 0 ? ",a\n" : ",b\n");
  auto spec = spec_of(folder.write("rows.csv", rows) + ":normalise=none", "random");
  spec.rounds = 40;
  logged_run(spec, folder.file("run.log"));
  // Were the rows put in order by the same draws, the order of the log would be that of the file, turned twice.
  const auto world = make_environment(spec.env);
  const auto shuffled = make_environment("log:" + folder.file("run.log") + ":shuffle=true");
  const auto seen = [](const Environment& env, std::uint64_t seed) {
    std::vector<double> numbers;
    const auto episode = env.start(seed);
    while (episode->next()) numbers.push_back(episode->contexts()[0].values[0]);
    return numbers;
  };
  const auto once = seen(*world, spec.seed), twice = seen(*shuffled, spec.seed);
  std::vector<double> turned_twice(once.size());
  for (std::size_t i = 0; i < once.size(); ++i) turned_twice[i] = once[static_cast<std::size_t>(once[i])];
  EXPECT_THAT(twice, testing::UnorderedElementsAreArray(once));
  EXPECT_NE(twice, turned_twice);
}

TEST(RunLog, ARunThatDoesNotFinishLeavesNothing) {
  const TempFolder folder;
  { const RunLog log(folder.file("run.log"), make_environment("wheel")->info(), spec_of("wheel", "random")); }
  EXPECT_THAT(folder.names(), testing::IsEmpty());
  EXPECT_THROW(RunLog("/nowhere/run.log", make_environment("wheel")->info(), spec_of("wheel", "random")), Error);
}

}  // namespace
}  // namespace neuralts
