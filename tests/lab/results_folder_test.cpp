#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "base/temp_folder.hpp"
#include "neuralts/lab.hpp"

namespace neuralts {
namespace {

Record record_of(const std::string& env, std::uint64_t seed, double regret) {
  Record record;
  record.spec.env = env;
  record.spec.policy.name = "random";
  record.spec.policy.params = {{"a", "x, \"y\""}};
  record.spec.seed = record.spec.policy.seed = seed;
  record.spec.rounds = 20;
  record.spec.delay = parse_delay("10,lost=0.5");
  record.result.rounds = 20;
  record.result.regret = regret;
  record.result.reward = 0.1;
  record.result.resolved = {{"a", "1"}};
  record.result.curve_rounds = {10, 20};
  record.result.curve_regret = {regret / 3, regret};
  record.result.curve_reward = {0.1, 0.1};
  record.result.offered = 25;
  record.result.notes = {"a note"};
  record.version = "1";
  record.cpu = "chip";
  record.cores = 3;
  return record;
}

Record failed_record(const std::string& env, std::uint64_t seed) {
  Record record = record_of(env, seed, 0);
  record.result = {};
  record.error = "it broke";
  return record;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void append_raw(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::app) << text; }

TEST(RecordText, ReadsBackAsWritten) {
  for (const auto& record : {record_of("e", 1, 1. / 3), failed_record("f", 2)}) {
    const std::string line = to_json(record);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const Record back = record_from_json(line);
    EXPECT_EQ(to_json(back), line);
    EXPECT_EQ(back.ok(), record.ok());
    EXPECT_EQ(run_key(back.spec), run_key(record.spec));
    EXPECT_EQ(back.result.regret, record.result.regret);
  }
}

TEST(RecordText, EveryShorterTextIsRefused) {
  const std::string line = to_json(record_of("e", 1, 2));
  for (std::size_t size = 0; size < line.size(); ++size)
    EXPECT_THROW(record_from_json(std::string_view(line).substr(0, size)), Error) << size;
}

TEST(ResultsFolder, OrderOfArrivalDoesNotShow) {
  const TempFolder place;
  ResultsFolder one(place.file("one")), two(place.file("two"));
  for (const int seed : {1, 2, 10}) one.append(record_of("e", seed, seed));
  for (const int seed : {10, 2, 1}) two.append(record_of("e", seed, seed));
  one.finish();
  two.finish();
  EXPECT_EQ(text_of(one.file("results.jsonl")), text_of(two.file("results.jsonl")));
  EXPECT_EQ(one.records().back().spec.seed, 10U);
}

TEST(ResultsFolder, ATornLineIsPassedOverAndEnded) {
  const TempFolder place;
  ResultsFolder folder(place.path());
  folder.append(record_of("e", 1, 1));
  append_raw(folder.file("results.jsonl"), to_json(record_of("e", 2, 2)).substr(0, 40));
  EXPECT_EQ(folder.records().size(), 1U);
  folder.append(record_of("e", 3, 3));
  ASSERT_EQ(folder.records().size(), 2U);
  EXPECT_EQ(folder.records().back().spec.seed, 3U);
  folder.finish();
  const std::string text = text_of(folder.file("results.jsonl"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST(ResultsFolder, ARunCountsOnceAndAFinishedOneWins) {
  const TempFolder place;
  ResultsFolder folder(place.path());
  folder.append(failed_record("e", 1));
  folder.append(record_of("e", 1, 5));
  folder.append(failed_record("e", 1));
  ASSERT_EQ(folder.records().size(), 1U);
  EXPECT_TRUE(folder.records().front().ok());
}

TEST(RunKey, DependsOnWhatWouldBeRun) {
  RunSpec spec;
  spec.env = "quadratic";
  spec.policy.name = "linear-ts";
  const std::string key = run_key(spec);
  EXPECT_EQ(run_key(spec), key);
  EXPECT_NE(run_key(spec, "other data"), key);
  spec.policy.preset = "paper";
  EXPECT_NE(run_key(spec), key);
}

TEST(ResultsFolder, ARunOfOtherValuesReplacesTheOldOneWhichIsKept) {
  const TempFolder place;
  ResultsFolder folder(place.path());
  Record old = record_of("e", 1, 5), retuned = record_of("e", 1, 3);
  old.key = "0123456789abcdef";
  folder.append(old);
  folder.append(retuned);
  ASSERT_EQ(folder.records().size(), 1U);
  EXPECT_EQ(folder.records().front().result.regret, 3);
  folder.finish();
  EXPECT_THAT(text_of(folder.file("results.jsonl")), testing::Not(testing::HasSubstr("0123456789abcdef")));
  EXPECT_THAT(text_of(folder.file("older.jsonl")), testing::HasSubstr("0123456789abcdef"));
}

TEST(ResultsFolder, LinesThatAreNoRecordsAreKeptAndNamed) {
  const TempFolder place;
  ResultsFolder folder(place.path());
  folder.append(record_of("e", 1, 1));
  const std::string foreign = "{\"key\":\"x\",\"format\":\"of another program\"}";
  append_raw(folder.file("results.jsonl"), foreign + "\n");
  ASSERT_EQ(folder.unreadable().size(), 1U);
  EXPECT_THAT(folder.unreadable().front(), testing::HasSubstr("line 2: "));
  folder.finish();
  folder.finish();
  EXPECT_EQ(text_of(folder.file("unreadable.txt")), foreign + "\n");
  EXPECT_TRUE(folder.unreadable().empty());
  EXPECT_EQ(folder.records().size(), 1U);
}

TEST(RecordText, ACurveMustBeWhole) {
  for (const char* curve : {R"({"rounds":[],"regret":[]})", R"({"rounds":[1],"regret":[]})",
                            R"({"rounds":[9,1],"regret":[1,2]})", R"({"rounds":[1],"regret":[2]})"}) {
    const std::string line = to_json(record_of("e", 1, 2));
    const std::size_t at = line.find("\"curve\":") + 8, end = line.find('}', at) + 1;
    EXPECT_THROW(record_from_json(line.substr(0, at) + curve + line.substr(end)), Error) << curve;
  }
}

TEST(ResultsFolder, CommandsAreKeptOnce) {
  const TempFolder place;
  ResultsFolder folder(place.path());
  for (const char* command : {"neuralts run --env a", "neuralts run --env b", "neuralts run --env a"})
    folder.add_command(command);
  EXPECT_THAT(folder.commands(), testing::ElementsAre("neuralts run --env a", "neuralts run --env b"));
}

TEST(ResultsFolder, APlaceThatCannotBeAFolderIsRefused) {
  const TempFolder place;
  append_raw(place.file("file"), "x");
  EXPECT_THROW(ResultsFolder(place.file("file/sub")), Error);
}

// Appenders and a rewriter at once: nothing may be lost or torn.
TEST(ResultsFolder, ThreadsAppendWhileAnotherRewrites) {
  const TempFolder place;
  constexpr int writers = 3, each = 30;
  std::vector<std::thread> threads;
  for (int w = 0; w < writers; ++w)
    threads.emplace_back([&, w] {
      ResultsFolder folder(place.path());
      for (int i = 0; i < each; ++i) folder.append(record_of(std::to_string(w), static_cast<std::uint64_t>(i), i));
    });
  threads.emplace_back([&] {
    ResultsFolder folder(place.path());
    for (int i = 0; i < 10; ++i) folder.finish();
  });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(ResultsFolder(place.path()).records().size(), static_cast<std::size_t>(writers * each));
}

}  // namespace
}  // namespace neuralts
