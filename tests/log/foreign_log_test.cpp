#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "base/temp_folder.hpp"
#include "base/timestamp.hpp"
#include "log/event.hpp"
#include "log/sample_events.hpp"
#include "neuralts/error.hpp"
#include "neuralts/log.hpp"

namespace neuralts {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Timestamp, ThereAndBack) {
  EXPECT_EQ(parse_timestamp("1970-01-02T00:00:01Z"), 86401);
  EXPECT_NEAR(parse_timestamp("2017-07-24T13:00:00.5000000Z"), 1500901200.5, 1e-6);
  EXPECT_EQ(format_timestamp(1500901200.5), "2017-07-24T13:00:00.5000000Z");
  for (const char* text :
       {"", "yesterday", "2017-13-24T13:00:00Z", "2017-07-24 13-00-00Z", "2017-0a-24T13:00:00Z"})
    EXPECT_EQ(parse_timestamp(text), 0) << text;
}

TEST(Timestamp, ClocksMayBeAheadOfUtcOrBehind) {
  for (const char* same : {"2017-07-24T13:00:00.5", "2017-07-24T13:00:00.5Z", "2017-07-24T15:00:00.5+02:00",
                           "2017-07-24T07:30:00.5000000-0530", "2017-07-25T00:00:00.50+11", "2017-07-24T13:00:00.5-00:00"})
    EXPECT_NEAR(parse_timestamp(same), 1500901200.5, 1e-6) << same;
  EXPECT_EQ(parse_timestamp("2017-07-24T15:00:00+02:00"), 1500901200);
  for (const char* text : {"2017-07-24T15:00:00+2", "2017-07-24T15:00:00+02:0", "2017-07-24T15:00:00+25:00", "2017-07-24T15:00:00 CET",
                           "2017-07-24T15:00:00.Z", "2017-07-24T24:00:00Z", "2017-07-24T15:60:00Z"})
    EXPECT_EQ(parse_timestamp(text), 0) << text;
}

TEST(Dsjson, IsReadAsTheServiceWritesIt) {
  const std::string line =
      R"({"_label_cost":-1,"_label_probability":0.8,"_label_Action":2,"_labelIndex":1,"o":[{"v":1}],"Timestamp":"2017-07-24T13:00:00Z",)"
      R"("Version":"1","EventId":"abc","a":[2,1],"c":{"User":{"age":5,"city":"Rome","_hidden":3},"_multi":[{"id":"x","b":{"p":1}},{"id":"y","t":true}]},)"
      R"("p":[0.8,0.2],"VWState":{"m":"m1"},"pdrop":0.5})" "\n" R"({"EventId":"abc","v":1})" "\n";
  LogReader reader(line, "input");
  Event event;
  ASSERT_TRUE(reader.next(event));
  EXPECT_EQ(event.id, "abc");
  EXPECT_EQ(event.arm, 1u);
  EXPECT_EQ(event.reward, 1);
  EXPECT_THAT(event.probabilities, ElementsAre(0.2, 0.8));
  EXPECT_EQ(event.kept, 0.5);
  EXPECT_EQ(event.model, "m1");
  EXPECT_THAT(event.actions, ElementsAre("x", "y"));
  EXPECT_EQ(event.offer.objects.row(0).size(), 2u);
  EXPECT_EQ(event.offer.objects.row(0)[1], Field::of("User.city", "Rome"));
  EXPECT_EQ(event.offer.objects.row(1)[1], Field::of("b.p", 1));
  EXPECT_EQ(event.offer.objects.row(2)[1], Field::truth_of("t", true));
  EXPECT_FALSE(reader.next(event));
  EXPECT_EQ(reader.counts().other, 1u);
}

TEST(Dsjson, WhatIsWrittenIsRead) {
  const TempFolder folder;
  Stream stream(1, Purpose::environment);
  std::vector<Event> events;
  {
    LogWriter log(folder.file("log.json"), {.format = LogFormat::dsjson});
    for (std::size_t i = 0; i < 60; ++i) log.write(events.emplace_back(sample_event(stream, i, Offered::objects)));
  }
  LogReader reader(folder.file("log.json"));
  EXPECT_EQ(reader.format(), LogFormat::dsjson);
  std::size_t i = 0;
  for (Event event; reader.next(event); ++i) {
    EXPECT_EQ(event.id, events[i].id);
    EXPECT_EQ(event.arm, events[i].arm);
    EXPECT_EQ(event.reward, events[i].reward);
    EXPECT_EQ(event.probabilities, events[i].probabilities);
    EXPECT_EQ(event.actions, events[i].actions);
    EXPECT_EQ(event.kept, events[i].kept);
    EXPECT_NEAR(event.time, events[i].time, 1e-6);
  }
  EXPECT_EQ(i, 60u);
}

TEST(VwText, WhatIsWrittenIsRead) {
  const TempFolder folder;
  Stream stream(2, Purpose::environment);
  std::vector<Event> events;
  {
    LogWriter log(folder.file("log.vw"), {.format = LogFormat::vw});
    for (std::size_t i = 0; i < 40; i += 2)
      log.write(
          events.emplace_back(sample_event(stream, i, i % 4 == 0 ? Offered::objects : Offered::vectors)));
  }
  LogReader reader(folder.file("log.vw"));
  EXPECT_EQ(reader.format(), LogFormat::vw);
  std::size_t i = 0;
  for (Event event; reader.next(event); ++i) {
    EXPECT_EQ(event.arms(), events[i].arms());
    EXPECT_EQ(event.arm, events[i].arm);
    EXPECT_EQ(event.reward, events[i].reward);
    EXPECT_EQ(event.probability(), events[i].probability());
  }
  EXPECT_EQ(i, 20u);
  EXPECT_THROW(LogWriter(folder.file("log.vw"), {.format = LogFormat::vw}).reward("e1", 1), Error);
}

TEST(WriteLog, ConvertsEventByEvent) {
  const TempFolder folder;
  Stream stream(3, Purpose::environment);
  {
    LogWriter log(folder.file("log.jsonl"));
    for (std::size_t i = 0; i < 30; ++i) log.write(sample_event(stream, i, Offered::objects));
    log.reward("e1", 4);
  }
  LogReader reader(folder.file("log.jsonl"));
  EXPECT_EQ(write_log(reader, folder.file("log.dsjson"), LogFormat::dsjson), 30u);
  LogReader again(folder.file("log.dsjson"));
  Event event;
  ASSERT_TRUE(again.next(event) && again.next(event));
  EXPECT_EQ(event.reward, 4);
  EXPECT_THROW(parse_log_format("xml"), Error);

  LogReader whole(folder.file("log.jsonl"));
  EXPECT_EQ(write_log(whole, "/dev/null", LogFormat::own), 30u);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null")) << "a device is written into, not replaced";
}

TEST(WriteLog, LeavesWhatWasThereWhenItFails) {
  const TempFolder folder;
  folder.write("to", "old");
  LogReader bad("{\"neuralts_log\":1}\nnonsense\n", "input");
  EXPECT_THROW(write_log(bad, folder.file("to"), LogFormat::own), Error);
  EXPECT_EQ(folder.read("to"), "old");
  EXPECT_EQ(folder.names().size(), 1u);
}

// The real reader, where there is one: every event with the label and the probability that were meant.
TEST(Dsjson, VowpalWabbitReadsItEventForEvent) {
  const char* program = std::getenv("NEURALTS_VW");
  if (program == nullptr) GTEST_SKIP() << "set NEURALTS_VW to a vw program to try the real reader";
  const TempFolder folder;
  Stream stream(4, Purpose::environment);
  std::vector<Event> events;
  {
    LogWriter log(folder.file("log.json"), {.format = LogFormat::dsjson});
    for (std::size_t i = 0; i < 40; ++i) {
      Event event = sample_event(stream, i,
                                 i % 2 == 0   ? Offered::objects
                                 : i % 4 == 1 ? Offered::shared
                                              : Offered::vectors);
      event.kept = 1;
      event.reward = static_cast<double>(i) / 64;  // exact in the six digits shown
      log.write(events.emplace_back(event));
    }
  }
  const std::string command = std::string(program) + " --dsjson -P 1 --cb_adf -q :: -d " +
                              folder.file("log.json") + " 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string output;
  for (char piece[4096]; std::fgets(piece, sizeof piece, pipe) != nullptr;) output += piece;
  ASSERT_EQ(::pclose(pipe), 0) << output;
  EXPECT_THAT(output, HasSubstr("number of examples = 40"));
  // Progress lines: loss, loss since, count, weight, arm:cost:probability with two digits, ...
  std::istringstream lines(output);
  std::size_t seen = 0;
  for (std::string line; std::getline(lines, line);) {
    std::size_t count = 0, arm = 0;
    double weight = 0, cost = 0, probability = 0;
    if (std::sscanf(line.c_str(), "%*f %*f %zu %lf %zu:%lf:%lf", &count, &weight, &arm, &cost,
                    &probability) != 5)
      continue;
    ASSERT_EQ(count, ++seen) << line;
    const Event& event = events.at(count - 1);
    EXPECT_EQ(arm, event.arm) << line;
    EXPECT_NEAR(cost, -*event.reward, 0.05 * *event.reward + 1e-12) << line;
    EXPECT_NEAR(probability, event.probability(), 0.05 * event.probability()) << line;
  }
  EXPECT_EQ(seen, 40u) << output;
}

}  // namespace
}  // namespace neuralts
