#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "base/temp_folder.hpp"
#include "neuralts/lab.hpp"

namespace neuralts {
namespace {

Experiment small() {
  return {{Grid{.envs = {"quadratic", "cosine"},
                .policies = {"random", "linear-ts"},
                .set = {{"nu", {"1", "0.1"}}},
                .seeds = {1, 2},
                .delays = {"0", "5"},
                .rounds = 40}}};
}
constexpr std::size_t small_runs = 2 * (1 + 2) * 2 * 2;

/// The record without what two runs of the same thing may differ in.
std::string timeless(Record record) {
  record.result.select_seconds = record.result.learn_seconds = 0;
  return to_json(record);
}
std::vector<std::string> timeless(const std::vector<Record>& records) {
  std::vector<std::string> texts;
  for (const auto& record : records) texts.push_back(timeless(record));
  return texts;
}

TEST(Sweep, ThreadsDoNotChangeResults) {
  const auto one = run_experiment(small(), {.jobs = 1}), three = run_experiment(small(), {.jobs = 3});
  EXPECT_EQ(one.size(), small_runs);
  EXPECT_EQ(timeless(one), timeless(three));
}

TEST(Sweep, WhatTheFolderHoldsIsNotRunAgain) {
  const TempFolder place;
  ResultsFolder folder(place.path());
  const auto first = run_experiment(small(), {.folder = &folder, .jobs = 2});
  std::size_t skipped = 0;
  const auto again = run_experiment(
      {{small().grids[0], Grid{.envs = {"gram"}, .policies = {"random"}, .rounds = 40}}},
      {.folder = &folder, .jobs = 2, .progress = [&](const SweepProgress& progress) {
         skipped = progress.skipped;
       }});
  EXPECT_EQ(skipped, small_runs);
  ASSERT_EQ(again.size(), small_runs + 1);
  for (std::size_t i = 0; i < small_runs; ++i) EXPECT_EQ(to_json(again[i]), to_json(first[i])) << "times too";
  EXPECT_EQ(folder.records().size(), small_runs + 1);
}

TEST(Sweep, AFailingRunIsRecordedAndStopsNoOther) {
  const TempFolder place;
  ResultsFolder folder(place.path());
  const Grid grid{.envs = {"no/such/file.csv", "quadratic"}, .policies = {"random"}, .rounds = 10};
  const auto records = run_experiment({{grid}}, {.folder = &folder, .jobs = 1});
  ASSERT_EQ(records.size(), 2U);
  EXPECT_THAT(records[0].error, testing::HasSubstr("no/such/file.csv"));
  EXPECT_TRUE(records[1].ok());
  EXPECT_EQ(folder.records().size(), 2U);
  std::size_t tried = 0;
  run_experiment({{grid}}, {.folder = &folder,
                            .progress = [&](const SweepProgress& progress) { tried = progress.done; }});
  EXPECT_EQ(tried, 1U) << "a failed run is tried again";
}

TEST(Sweep, ARunThatHasNoMemorySaysWhatToDo) {
  const GivenContestant greedy{[](const RunSpec&) -> std::unique_ptr<Contestant> { throw std::bad_alloc(); }};
  const auto records = run_experiment({{Grid{.envs = {"quadratic"}, .policies = {"mine"}, .rounds = 10}}},
                                      {.jobs = 1, .policies = {{"mine", greedy}}});
  ASSERT_EQ(records.size(), 1U);
  EXPECT_THAT(records[0].error, testing::HasSubstr("memory ran out: "));
}

TEST(Sweep, AMistypedWorldIsTheCallersError) {
  const Grid grid{.envs = {"quadratic:arm=3"}, .policies = {"random"}, .rounds = 10};
  EXPECT_THROW(run_experiment({{grid}}), Error);
}

TEST(Sweep, AMistypedWorldIsToldBeforeAnythingRuns) {
  const TempFolder place;
  ResultsFolder folder(place.path());
  for (const char* wrong : {"quadratik", "wheel:deltaa=0.5"}) {
    const Grid grid{.envs = {"quadratic", wrong}, .policies = {"random"}, .rounds = 10};
    EXPECT_THROW(run_experiment({{grid}}, {.folder = &folder, .jobs = 1}), Error);
    EXPECT_TRUE(folder.records().empty()) << wrong;
  }
}

TEST(Sweep, StoppedRunsAreNotRecorded) {
  const TempFolder place;
  ResultsFolder folder(place.path());
  std::atomic<std::size_t> ended{0};
  SweepOptions options{.folder = &folder, .jobs = 1};
  options.progress = [&](const SweepProgress& progress) { ended = progress.done; };
  options.stop = [&] { return ended >= 3; };
  EXPECT_EQ(run_experiment(small(), options).size(), 3U);
  EXPECT_EQ(folder.records().size(), 3U);
  EXPECT_EQ(timeless(run_experiment(small(), {.folder = &folder})), timeless(run_experiment(small())));
}

TEST(Sweep, EveryRoundIsShownToWhoeverAsks) {
  std::size_t rounds = 0;
  run_experiment({{Grid{.envs = {"quadratic"}, .policies = {"random"}, .seeds = {1, 2}, .rounds = 7}}},
                 {.jobs = 1, .record = [&](const RunSpec&, const RoundRecord&) { ++rounds; }});
  EXPECT_EQ(rounds, 14U);
}

TEST(Sweep, TasksShareTheRunsWithoutGapOrOverlap) {
  const auto whole = timeless(run_experiment(small()));
  for (const std::size_t of : {std::size_t{1}, std::size_t{3}, small_runs, small_runs + 2}) {
    std::vector<std::string> joined(small_runs);
    for (std::size_t task = 0; task < of; ++task) {
      const auto part = timeless(run_experiment(small(), {.task = task, .of = of}));
      for (std::size_t i = 0; i < part.size(); ++i) {
        ASSERT_LT(task + i * of, small_runs);
        EXPECT_EQ(joined[task + i * of], "");
        joined[task + i * of] = part[i];
      }
    }
    EXPECT_EQ(joined, whole) << of << " tasks";
  }
}

TEST(Sweep, TasksFillOneFolderAndGoOnWhereTheyStopped) {
  const TempFolder place;
  ResultsFolder folder(place.path());
  std::size_t total = 0, done = 0;
  const auto count = [&](const SweepProgress& progress) { total = progress.total, done = progress.done; };
  run_experiment(small(), {.folder = &folder, .task = 1, .of = 2});
  EXPECT_EQ(folder.records().size(), small_runs / 2);
  run_experiment(small(), {.folder = &folder, .progress = count, .task = 1, .of = 2});
  EXPECT_EQ(done, 0U);
  run_experiment(small(), {.folder = &folder, .progress = count, .task = 0, .of = 2});
  EXPECT_EQ(total, small_runs / 2);
  EXPECT_EQ(done, small_runs / 2);
  const TempFolder other;
  ResultsFolder at_once(other.path());
  run_experiment(small(), {.folder = &at_once});
  EXPECT_EQ(timeless(folder.records()), timeless(at_once.records()));
}

TEST(Sweep, ATaskThatIsNotThereIsRefused) {
  EXPECT_THROW(run_experiment(small(), {.task = 2, .of = 2}), Error);
  EXPECT_THROW(run_experiment(small(), {.task = 0, .of = 0}), Error);
}

/// Work handed on to somebody else, as rank 0 does under mpirun.
TEST(Sweep, ServedWorkLandsInTheSamePlace) {
  SweepOptions options{.jobs = 1};
  options.serve = [](WorkSource& source) {
    Runner runner("");
    while (const auto work = source.next())
      source.finished(work->index, record_from_json(to_json(runner(work->spec))));
  };
  EXPECT_EQ(timeless(run_experiment(small(), options)), timeless(run_experiment(small())));
}

}  // namespace
}  // namespace neuralts
