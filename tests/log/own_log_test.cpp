#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/small_disk.hpp"
#include "base/temp_folder.hpp"
#include "log/event.hpp"
#include "log/sample_events.hpp"
#include "neuralts/error.hpp"
#include "neuralts/log.hpp"

namespace neuralts {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

std::vector<Event> read_all(LogReader reader) {
  std::vector<Event> all;
  for (Event event; reader.next(event);) all.push_back(event);
  return all;
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class OwnLog : public testing::TestWithParam<Offered> {};

TEST_P(OwnLog, WhatIsWrittenIsRead) {
  const TempFolder folder;
  Stream stream(1, Purpose::environment);
  std::vector<Event> events;
  {
    LogWriter log(folder.file("log.jsonl"));
    for (std::size_t i = 0; i < 200; ++i) log.write(events.emplace_back(sample_event(stream, i, GetParam())));
  }
  LogReader reader(folder.file("log.jsonl"));
  std::size_t i = 0;
  for (Event event; reader.next(event); ++i) EXPECT_TRUE(same(event, events[i])) << i;
  EXPECT_EQ(i, 200u);
  EXPECT_EQ(reader.counts().events, 200u);
  EXPECT_EQ(reader.counts().rewarded, 100u);
  EXPECT_TRUE(reader.counts().cut.empty());
}

INSTANTIATE_TEST_SUITE_P(Offers, OwnLog, testing::Values(Offered::vectors, Offered::shared, Offered::objects));

TEST(OwnLogRewards, AreJoinedOnceWhereverTheyStand) {
  const TempFolder folder;
  Stream stream(2, Purpose::environment);
  LogWriter log(folder.file("log.jsonl"));
  for (const std::size_t i : {1u, 3u, 5u}) log.write(sample_event(stream, i, Offered::vectors));
  log.reward("e5", 0.5, 1.7e9 + 99);
  log.reward("e1", -2);
  log.reward("e5", 7);       // again
  log.reward("nobody", 1);   // of a decision that is not there
  log.close();
  LogReader reader(folder.file("log.jsonl"));
  std::vector<Event> events;
  for (Event event; reader.next(event);) events.push_back(event);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].reward, -2);
  EXPECT_FALSE(events[1].reward);
  EXPECT_EQ(events[2].reward, 0.5);
  EXPECT_EQ(events[2].reward_time, 1.7e9 + 99);
  EXPECT_EQ(reader.counts().duplicate_rewards, 1u);
  EXPECT_EQ(reader.counts().unmatched_rewards, 1u);
  EXPECT_EQ(read_all(LogReader(folder.file("log.jsonl"), {.only_rewarded = true})).size(), 2u);
}

// A writer may be killed at any byte.
TEST(OwnLogCut, ReadsUpToTheLastWholeRecordAndSaysWhatIsLeftOut) {
  const TempFolder folder;
  Stream stream(3, Purpose::environment);
  {
    LogWriter log(folder.file("log.jsonl"));
    for (std::size_t i = 0; i < 4; ++i) {
      log.write(sample_event(stream, i, Offered::objects));
      if (i % 2 == 1) log.reward("e" + std::to_string(i), 1);
    }
  }
  const std::string whole = bytes_of(folder.file("log.jsonl"));
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    LogReader reader(cut, "cut");
    std::size_t events = 0;
    for (Event event; reader.next(event);) ++events;
    const std::size_t last_end = cut.empty() || cut.find('\n') == cut.npos ? 0 : cut.rfind('\n') + 1;
    std::size_t expected = 0;
    for (std::size_t at = 0; at < last_end; at = cut.find('\n', at) + 1)
      expected += cut.compare(at, 8, "{\"event\"") == 0;
    const bool only_end_missing = size < whole.size() && whole[size] == '\n' &&
                                  whole.compare(last_end, 8, "{\"event\"") == 0;
    ASSERT_EQ(events, expected + only_end_missing) << size;
    const bool record_cut = last_end < size && whole[size] != '\n' &&
                            whole.compare(last_end, 12, "{\"reward_of\"") != 0;
    if (record_cut) {
      ASSERT_EQ(reader.counts().cut_bytes, size - last_end) << size;
      ASSERT_THAT(reader.counts().cut, HasSubstr("not whole"));
    }
  }
}

TEST(OwnLogCut, AWriterGoesOnAfterATornRecord) {
  const TempFolder folder;
  Stream stream(4, Purpose::environment);
  { LogWriter(folder.file("log.jsonl")).write(sample_event(stream, 1, Offered::vectors)); }
  const std::string whole = bytes_of(folder.file("log.jsonl"));
  for (const std::size_t lost : {1u, 5u, 50u}) {
    std::ofstream(folder.file("torn.jsonl"), std::ios::binary) << whole.substr(0, whole.size() - lost);
    { LogWriter(folder.file("torn.jsonl")).write(sample_event(stream, 2, Offered::vectors)); }
    const auto events = read_all(LogReader(folder.file("torn.jsonl")));
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].id, "e2");
  }
}

TEST(OwnLogRotation, FilesAreNumberedPackedAndReadInOrder) {
  const TempFolder folder;
  Stream stream(5, Purpose::environment);
  const std::string path = folder.file("log.jsonl");
  for (int session = 0; session < 2; ++session) {  // numbers go on in the next one
    LogWriter log(path, {.rotate_bytes = 4000});
    for (std::size_t i = 0; i < 50; ++i) log.write(sample_event(stream, 50u * session + i, Offered::vectors));
  }
  const auto files = log_files(path);
  ASSERT_GT(files.size(), 5u);
  EXPECT_TRUE(fs::exists(folder.file("log.000001.jsonl.gz")));
  EXPECT_FALSE(fs::exists(folder.file("log.000001.jsonl")));
  const auto events = read_all(LogReader(path));
  ASSERT_EQ(events.size(), 100u);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(events[i].id, "e" + std::to_string(i));
}

TEST(OwnLogRotation, ACutGzipFileIsReadAsFarAsItGoes) {
  const TempFolder folder;
  Stream stream(6, Purpose::environment);
  {
    LogWriter log(folder.file("log.jsonl"), {.rotate_bytes = 100'000});
    for (std::size_t i = 0; i < 1000; ++i) log.write(sample_event(stream, i, Offered::vectors));
  }
  const std::string packed = bytes_of(folder.file("log.000001.jsonl.gz"));
  std::ofstream(folder.file("cut.gz"), std::ios::binary) << packed.substr(0, packed.size() / 2);
  LogReader reader(folder.file("cut.gz"));
  std::size_t events = 0;
  for (Event event; reader.next(event);) ++events;
  EXPECT_GT(events, 10u);
  EXPECT_FALSE(reader.counts().cut.empty());
}

TEST(OwnLogRotation, ADamagedGzipFileAndOneCutInTheMiddleOfALogAreRefused) {
  const TempFolder folder;
  Stream stream(14, Purpose::environment);
  {
    LogWriter log(folder.file("log.jsonl"), {.rotate_bytes = 100'000});
    for (std::size_t i = 0; i < 1000; ++i) log.write(sample_event(stream, i, Offered::vectors));
  }
  const std::string packed = folder.read("log.000001.jsonl.gz");
  std::string damaged = packed;
  for (std::size_t i = 0; i < 8; ++i) damaged[damaged.size() / 2 + i] = static_cast<char>(~damaged[damaged.size() / 2 + i]);
  folder.write("damaged.gz", damaged);
  EXPECT_THROW(read_all(LogReader(folder.file("damaged.gz"))), Error);
  folder.write("log.000001.jsonl.gz", packed.substr(0, packed.size() / 2));  // others follow it
  EXPECT_THROW(read_all(LogReader(folder.file("log.jsonl"))), Error);
  EXPECT_THROW(read_all(LogReader(folder.file("log.jsonl"), {.skip_bad = true})), Error);
}

// A record that did not fit is not written later behind the caller's back: who tries again has it once.
TEST(OwnLogFullDisk, ARecordThatFailedIsNotThereAndTheLogGoesOn) {
  const TempFolder folder;
  Stream stream(11, Purpose::environment);
  LogWriter log(folder.file("log.jsonl"), {.flush_seconds = 0});
  std::vector<Event> events;
  for (std::size_t i = 0; i < 3; ++i) events.push_back(sample_event(stream, i, Offered::vectors));
  log.write(events[0]);
  {
    const SmallDisk full(fs::file_size(folder.file("log.jsonl")) + 10);
    EXPECT_THROW(log.write(events[1]), Error);
    EXPECT_THROW(log.reward("e0", 1), Error);
  }
  log.write(events[1]);
  log.write(events[2]);
  EXPECT_EQ(log.written(), 3u);
  log.close();
  const auto read = read_all(LogReader(folder.file("log.jsonl")));
  ASSERT_EQ(read.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(same(read[i], events[i])) << i;
}

// Packing goes on beside the writing: a writer that is given up while it does waits for it.
TEST(OwnLogFullDisk, AWriterThatCannotCloseIsGivenUpInPeace) {
  const TempFolder folder;
  Stream stream(12, Purpose::environment);
  {
    LogWriter log(folder.file("log.jsonl"), {.rotate_bytes = 4000, .flush_seconds = 1000});
    for (std::size_t i = 0; i < 50; ++i) log.write(sample_event(stream, i, Offered::vectors));
    ASSERT_GT(log_files(folder.file("log.jsonl")).size(), 1u);
    const SmallDisk full(1);
    EXPECT_THROW(log.close(), Error);
    LogWriter given_up = std::move(log);
  }
  EXPECT_GT(log_files(folder.file("log.jsonl")).size(), 1u);
}

TEST(OwnLogRotation, AFileThatCannotBeRotatedStaysOpen) {
  const TempFolder folder;
  Stream stream(13, Purpose::environment);
  LogWriter log(folder.file("log.jsonl"), {.rotate_bytes = 1000, .compress = false, .flush_seconds = 0});
  std::size_t next = 0;
  const auto write = [&] { log.write(sample_event(stream, next, Offered::vectors)), ++next; };
  while (log_files(folder.file("log.jsonl")).size() < 2) write();
  folder.write("log.000002.jsonl/in the way", "");
  EXPECT_THROW(for (int i = 0; i < 100; ++i) write(), Error);
  fs::remove_all(folder.file("log.000002.jsonl"));
  const std::size_t before = next;
  for (int i = 0; i < 100; ++i) write();
  log.close();
  const auto read = read_all(LogReader(folder.file("log.jsonl")));
  ASSERT_EQ(read.size(), next);
  EXPECT_EQ(read[before].id, "e" + std::to_string(before));
  EXPECT_TRUE(fs::exists(folder.file("log.000002.jsonl")));
}

TEST(OwnLogWriting, IsReadableWhileItIsWritten) {
  const TempFolder folder;
  Stream stream(7, Purpose::environment);
  LogWriter log(folder.file("log.jsonl"), {.flush_seconds = 0});
  for (std::size_t i = 0; i < 10; ++i) {
    log.write(sample_event(stream, i, Offered::objects));
    EXPECT_EQ(read_all(LogReader(folder.file("log.jsonl"))).size(), i + 1);
  }
}

TEST(OwnLogWriting, UnsoundEventsAreRefused) {
  const TempFolder folder;
  Stream stream(8, Purpose::environment);
  LogWriter log(folder.file("log.jsonl"));
  Event event = sample_event(stream, 1, Offered::vectors);
  event.probabilities[0] += 0.1;
  EXPECT_THROW(log.write(event), ContractError);
  EXPECT_THROW(log.reward("e1", NAN), ContractError);
  event = sample_event(stream, 1, Offered::vectors);
  event.time = NAN;
  EXPECT_THROW(log.write(event), ContractError) << "nobody could read the line";
  EXPECT_EQ(log.written(), 0u);
  EXPECT_THROW(LogWriter(folder.file("nowhere/log.jsonl")), Error);
}

TEST(OwnLogWriting, ThreadsShareAWriter) {
  const TempFolder folder;
  {
    LogWriter log(folder.file("log.jsonl"), {.rotate_bytes = 20'000});
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t)
      threads.emplace_back([&log, t] {
        Stream stream(t, Purpose::environment);
        for (std::size_t i = 0; i < 100; ++i) log.write(sample_event(stream, 1000 * t + i, Offered::vectors));
      });
    for (auto& thread : threads) thread.join();
  }
  EXPECT_EQ(read_all(LogReader(folder.file("log.jsonl"))).size(), 400u);
}

TEST(OwnLogReading, RefusesWithTheLineOrCounts) {
  const std::string good = R"({"contexts":[[1],[2]],"arm":0,"reward":1,"probabilities":[0.5,0.5]})" "\n";
  const std::pair<const char*, const char*> cases[] = {
      {R"({"contexts":[[1],[2]],"arm":0,"reward":1,"probabilities":[0.5,0.6]})", "sum to 1.1"},
      {R"({"contexts":[[1],[2]],"arm":0,"reward":1,"probabilities":[1.5,-0.5]})", "not from 0 to 1"},
      {R"({"contexts":[[1],[2]],"arm":0,"reward":1,"probabilities":[0,1]})", "was played is 0"},
      {R"({"contexts":[[1],[2]],"arm":0,"reward":1,"probabilities":[1]]})", "expected one JSON object"},
      {R"({"contexts":[[1],[2,3]],"arm":0,"probabilities":[0.5,0.5]})", "has 2 numbers"},
      {R"({"contexts":[[1],[2]],"arm":2,"probabilities":[0.5,0.5]})", "arm 2 was not among the 2"},
      {R"({"contexts":[[1],[2]],"arm":0.5,"probabilities":[0.5,0.5]})", "\"arm\" is not a whole number"},
      {R"({"contexts":[[1],["a"]],"arm":0,"probabilities":[0.5,0.5]})", "\"contexts\" holds something"},
      {R"({"contexts":[[1],[2]],"probabilities":[0.5,0.5]})", "no \"arm\""},
      {R"({"contexts":[[1],[2]],"arm":0})", "no \"probabilities\""},
      {R"({"shared":[1],"arm":0,"probabilities":[1]})", "needs \"blocks\""},
      {R"({"shared":[1],"blocks":[7],"arm":0,"probabilities":[1]})", "a block is 7"},
      {R"({"arm":0,"probabilities":[1]})", "offers no arm"},
      {R"({"contexts":[[1],[2]],"arm":0,"reward":"x","probabilities":[0.5,0.5]})",
       "\"reward\" is not a finite number"},
      {R"({"contexts":[[1],[2]],"arm":0,"probabilities":[0.5,0.5],"kept":2})", "share of events kept is 2"},
      {"3", "expected one JSON object"},
  };
  for (const auto& [line, text] : cases) {
    const std::string log = std::string(R"({"neuralts_log":1,"block":1,"blocks":4})") + "\n" + good + line +
                            "\n" + good;
    try {
      read_all(LogReader(log, "input"));
      ADD_FAILURE() << line;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_THAT(error.what(), HasSubstr("input, line 3"));
      EXPECT_THAT(error.what(), HasSubstr(text)) << line;
    }
    LogReader lenient(log, "input", {.skip_bad = true});
    std::size_t events = 0;
    for (Event event; lenient.next(event);) ++events;
    EXPECT_EQ(events, 2u);
    EXPECT_EQ(lenient.counts().refused, 1u);
    EXPECT_THAT(lenient.counts().first_problem, HasSubstr(text));
  }
}

TEST(OwnLogReading, ALineWithoutEndIsNamed) {
  const std::string text = "\n\n" + std::string((64u << 20) + 1, ' ');
  try {
    read_all(LogReader(text, "input"));
    ADD_FAILURE() << "a line of more than 64 MiB was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("input, line 3: the line is longer than 64 MiB"));
  }
}

TEST(OwnLogReading, ANullRewardHasNotCome) {
  const std::string decision =
      R"({"event":"a","contexts":[[1],[2]],"arm":0,"reward":null,"probabilities":[0.5,0.5]})" "\n";
  std::string rewarded = decision;
  rewarded += R"({"reward_of":"a","reward":3})" "\n";
  LogReader open(decision, "input");
  Event event;
  ASSERT_TRUE(open.next(event));
  EXPECT_FALSE(event.reward);
  LogReader late(rewarded, "input");
  ASSERT_TRUE(late.next(event));
  EXPECT_EQ(event.reward, 3);
}

std::string decision(const std::string& id, const std::string& reward = "null") {
  return R"({"event":")" + id + R"(","contexts":[[1],[2]],"arm":0,"reward":)" + reward + R"(,"probabilities":[0.5,0.5]})" "\n";
}

TEST(OwnLogReading, ABadRewardIsRefusedWithItsLineOrCounted) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"reward_of":"a"})", "the reward of 'a' has no \"reward\""},
      {R"({"reward_of":"a","reward":"much"})", "\"reward\" is not a finite number"},
      {R"({"reward_of":"a","reward":1e999})", "expected one JSON object"},
      {R"({"reward_of":7,"reward":1})", "\"reward_of\""},
      {R"({"reward_of":"a","reward":1,"time":"noon"})", "\"time\" is not a finite number"},
      {R"({"reward_of":"a","reward":1]})", "expected one JSON object"},
      {R"({ "reward" : 1, "reward_of" : 7 })", "\"reward_of\""},
  };
  for (const auto& [line, text] : cases) {
    const std::string log = decision("a") + line + "\n" + R"({"reward_of":"a","reward":5})" "\n" + decision("b", "2");
    try {
      read_all(LogReader(log, "input"));
      ADD_FAILURE() << line;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_THAT(error.what(), HasSubstr("input, line 2"));
      EXPECT_THAT(error.what(), HasSubstr(text)) << line;
    }
    LogReader lenient(log, "input", {.skip_bad = true});
    std::vector<double> rewards;
    for (Event event; lenient.next(event);) rewards.push_back(event.reward.value());
    EXPECT_THAT(rewards, testing::ElementsAre(5, 2)) << line;
    EXPECT_EQ(lenient.counts().refused, 1u) << line;
    EXPECT_THAT(lenient.counts().first_problem, HasSubstr(text)) << line;
  }
}

TEST(OwnLogReading, IsKnownInAnyOrderOfItsKeys) {
  const char* firsts[] = {
      R"({"arm":0,"contexts":[[1],[2]],"probabilities":[0.5,0.5],"reward":1})",                // without an id
      R"({ "contexts" : [[1],[2]], "arm" : 0, "probabilities" : [0.5,0.5], "event" : "a" })",  // sorted by somebody else
      R"({"probabilities":[0.5,0.5],"event":"a","arm":0,"contexts":[[1],[2]]})",
  };
  for (const char* first : firsts) {
    const std::string log = std::string(first) + "\n" + decision("b", "2");
    LogReader reader(log, "input");
    EXPECT_EQ(reader.format(), LogFormat::own) << first;
    EXPECT_EQ(read_all(std::move(reader)).size(), 2u) << first;
  }
  const std::string reward_first = R"({"time":3,"reward":4,"reward_of":"a"})" "\n" + decision("a");
  const auto events = read_all(LogReader(reward_first, "input"));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].reward, 4);
  EXPECT_EQ(events[0].reward_time, 3);
}

TEST(OwnLogReading, ARewardThatWasToldWithItsDecisionStays) {
  const std::string log = decision("a", "1") + R"({"reward_of":"a","reward":0})" "\n";
  LogReader reader(log, "input");
  Event event;
  ASSERT_TRUE(reader.next(event));
  EXPECT_EQ(event.reward, 1);
  EXPECT_FALSE(reader.next(event));
  EXPECT_EQ(reader.counts().duplicate_rewards, 1u);
  EXPECT_EQ(reader.counts().unmatched_rewards, 0u);
  EXPECT_THAT(reader.counts().first_duplicate_reward, HasSubstr("line 2"));
}

TEST(OwnLogReading, TheHeadIsThereFromTheStart) {
  const LogReader reader(R"({"neuralts_log":1,"block":2,"blocks":3,"arm_labels":["a","b","c"],"column_names":["x","y"]})" "\n", "input");
  EXPECT_EQ(reader.head().length, 2u);
  EXPECT_EQ(reader.head().blocks, 3u);
  EXPECT_THAT(reader.head().arm_labels, testing::ElementsAre("a", "b", "c"));
  EXPECT_THROW(LogReader("{\"neuralts_log\":3}\n", "input"), Error);
  LogReader lenient("{\"neuralts_log\":3}\n", "input", {.skip_bad = true});
  EXPECT_EQ(read_all(std::move(lenient)).size(), 0u);
  EXPECT_THROW(LogReader("nowhere/log.jsonl"), Error);
}

}  // namespace
}  // namespace neuralts
