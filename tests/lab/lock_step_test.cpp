// Runs in lock-step are the runs they would be alone.
#include "lab/lock_step.hpp"

#include <gtest/gtest.h>

#include "model/cuda/engine.hpp"
#include "model/train.hpp"
#include "neuralts/lab.hpp"

namespace neuralts {
namespace {

RunSpec spec(const std::string& policy, const std::string& preset, std::uint64_t seed, std::size_t rounds,
             const std::string& delay = "0") {
  RunSpec run;
  run.env = "quadratic";
  run.policy.name = policy;
  run.policy.preset = preset;
  if (preset == "released") run.policy.params = {{"units", "16"}, {"iterations", "5"}};
  run.seed = seed;
  run.rounds = rounds;
  run.delay = parse_delay(delay);
  return run;
}

/// Policies that train after every round, now and then, several networks at once, and never; horizons and
/// delays that differ.
std::vector<RunSpec> mixed_runs() {
  return {spec("neural-ts", "released", 1, 60),
          spec("neural-ts", "released", 2, 45),
          spec("neural-ucb", "tuned", 3, 80),
          spec("bootstrap-nn", "released", 4, 40),
          spec("linear-ts", "", 5, 250),
          spec("neural-greedy", "released", 6, 50, "7"),
          spec("neural-ts", "released", 7, 30, "100"),
          spec("neural-greedy", "released", 8, 61)};
}

class List final : public WorkSource {
 public:
  explicit List(std::vector<RunSpec> runs) : runs_(std::move(runs)), records(runs_.size()) {}
  std::optional<Work> next() override {
    if (next_ == runs_.size()) return std::nullopt;
    const std::size_t place = next_++;
    return Work{place, runs_[place]};
  }
  void finished(std::size_t index, Record record) override { records[index] = std::move(record); }

 private:
  std::vector<RunSpec> runs_;
  std::size_t next_ = 0;

 public:
  std::vector<Record> records;
};

TEST(LockStep, GivesTheSameRunsThreads) {
  const auto runs = mixed_runs();
  Worlds worlds("", {});
  struct Case {
    std::size_t engines, runs_max;
  };
  for (const auto [engines, runs_max] :
       {Case{1, 1}, Case{1, 3}, Case{1, 512}, Case{2, 1}, Case{2, 5}, Case{2, 512}, Case{3, 512}}) {
    List list(runs);
    LockStep lock_step{.engines = std::vector(engines, &processor_engine()), .worlds = worlds};
    lock_step.runs_max = runs_max;
    lock_step.threads = 3;
    lock_step.carry_out(list);
    EXPECT_GT(lock_step.training_seconds, 0);
    EXPECT_LE(lock_step.training_seconds, lock_step.seconds);
    Runner alone("");
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Record one = alone(runs[i]);
      ASSERT_TRUE(list.records[i].ok()) << list.records[i].error;
      EXPECT_EQ(list.records[i].result.rounds, one.result.rounds);
      EXPECT_EQ(list.records[i].result.curve_regret, one.result.curve_regret)
          << runs[i].policy.name << " seed " << runs[i].seed;
      EXPECT_EQ(list.records[i].result.resolved, one.result.resolved);
    }
  }
}

TEST(LockStep, AFailedRunStopsNoOther) {
  auto runs = mixed_runs();
  runs[2].env = "file-that-is-not-there.csv";
  List list(runs);
  Worlds worlds("", {});
  LockStep lock_step{.engines = {&processor_engine(), &processor_engine()}, .worlds = worlds};
  lock_step.carry_out(list);
  for (std::size_t i = 0; i < runs.size(); ++i) EXPECT_EQ(list.records[i].ok(), i != 2) << list.records[i].error;
}

TEST(LockStep, StopsWhenAsked) {
  List list({spec("neural-ts", "released", 1, 60), spec("neural-ts", "released", 2, 45),
             spec("linear-ts", "", 5, 2000)});
  Worlds worlds("", {});
  LockStep lock_step{.engines = {&processor_engine(), &processor_engine()}, .worlds = worlds};
  int asked = 0;
  lock_step.stop = [&] { return ++asked > 3; };
  lock_step.carry_out(list);
  for (const Record& record : list.records) EXPECT_EQ(record.result.rounds, 0u);
}

class BrokenEngine final : public TrainEngine {
 public:
  bool train(std::span<TrainJob>, const Training&) override { throw Error(ErrorCode::io, "engine", "broken"); }
};

TEST(LockStep, AnEngineThatThrowsEndsEverythingThreads) {
  List list(mixed_runs());
  Worlds worlds("", {});
  BrokenEngine broken;
  LockStep lock_step{.engines = {&processor_engine(), &broken}, .worlds = worlds};
  EXPECT_THROW(lock_step.carry_out(list), Error);
}

TEST(CudaLockStep, RunsOnADeviceAreRunsOfTheirOwn) {
  if (cuda_devices().empty()) GTEST_SKIP() << "no CUDA device, or a build without CUDA";
  Grid grid{.envs = {"quadratic"}, .policies = {"neural-ts", "bootstrap-nn"}, .presets = {"released"}};
  grid.set = {{"iterations", {"10"}}};
  grid.seeds = {1, 2, 3};
  grid.rounds = 60;
  grid.device = "cuda";
  const auto together = run_experiment({{grid}});
  ASSERT_EQ(together.size(), 6u);
  for (const Record& record : together) {
    ASSERT_TRUE(record.ok()) << record.error;
    EXPECT_EQ(record.spec.device, "cuda");
    EXPECT_FALSE(record.gpu.empty());
    RunSpec here = record.spec;
    here.device.clear();
    EXPECT_NE(run_key(here), run_key(record.spec));
    grid.policies = {record.spec.policy.name};
    grid.seeds = {record.spec.seed};
    const auto alone = run_experiment({{grid}});
    EXPECT_EQ(alone.at(0).result.curve_regret, record.result.curve_regret);
  }
}

TEST(Device, IsPartOfARunUnlessItIsTheProcessor) {
  Grid grid{.envs = {"quadratic"}, .policies = {"linear-ts"}};
  const auto plain = expand({{grid}}).at(0);
  grid.device = "cpu";
  EXPECT_EQ(run_key(expand({{grid}}).at(0)), run_key(plain));
  grid.device = "cuda";
  const auto there = expand({{grid}}).at(0);
  EXPECT_NE(run_key(there), run_key(plain));
  Record record;
  record.spec = there;
  record.gpu = "some device";
  record.result.rounds = 1;
  record.result.curve_rounds = {1};
  record.result.curve_regret = record.result.curve_reward = {0.5};
  const Record back = record_from_json(to_json(record));
  EXPECT_EQ(back.spec.device, "cuda");
  EXPECT_EQ(back.gpu, "some device");
  EXPECT_EQ(run_key(back.spec), run_key(there));
  grid.device = "abacus";
  EXPECT_THROW(expand({{grid}}), Error);
}

}  // namespace
}  // namespace neuralts
