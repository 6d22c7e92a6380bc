// The fuzzers' corpus of what a service reads back, and what it stores itself, with bytes lost and damaged:
// read, or refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fuzz/serve_seeds.hpp"

namespace neuralts {
namespace {

using Read = bool (*)(std::string_view bytes);

std::map<std::string, Read> targets() {
  return {{"options", fuzz::options},       {"loop", fuzz::loop},       {"model", fuzz::model},
          {"checkpoint", fuzz::checkpoint}, {"journal", fuzz::journal}, {"spool", fuzz::spool}};
}

TEST(ServeCorpusTest, IsReadOrRefused) {
  for (const auto& [name, read] : targets()) {
    const std::string folder = std::string(NEURALTS_CORPUS) + "/" + name;
    if (!std::filesystem::exists(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
      EXPECT_NO_THROW(read(bytes)) << entry.path();
    }
  }
}

// The checksums are made right by whoever damages the bytes.
TEST(ServeCorpusTest, WhatIsStoredIsReadOrRefusedHoweverItIsForged) {
  const auto readers = targets();
  for (const auto& [place, bytes] : fuzz::serve_seeds()) {
    SCOPED_TRACE(place.first + " " + place.second);
    const Read read = readers.at(place.first);
    EXPECT_TRUE(read(bytes));
    const std::size_t stride = 1 + bytes.size() / 200;
    for (std::size_t at = 0; at < bytes.size(); at += stride) {
      EXPECT_NO_THROW(read(std::string_view(bytes).substr(0, at))) << "the first " << at;
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ '\x80');
      EXPECT_NO_THROW(read(damaged)) << "byte " << at;
    }
  }
}

/// How far a learner is that begins with a checkpoint of these bytes, and what it says.
std::pair<serve::Sequence, std::string> resumed(const std::string& checkpoint) {
  fuzz::SmallLoop loop;
  loop.play(serve::Form::vectors);
  loop.engine.checkpoints[1] = {loop.engine.records.size(), checkpoint};
  std::string told;
  const serve::Log log(loop.clock, [&](const std::string& line) { told += line; });
  return {serve::LoopLearner(loop.loop, loop.journal, loop.clock, log).position(), told};
}

// As a sum of rewards may come to: learning would end there, and begin again at the last checkpoint, for
// ever.
TEST(LoopLearnerTest, ARewardThatNoPolicyTakesIsPassedOver) {
  fuzz::SmallLoop loop;
  loop.play(serve::Form::vectors);
  loop.decide(20, serve::Form::vectors);
  loop.add(serve::Kind::reward, 21, serve::encode(serve::RewardRecord{1e16}), loop.engine.records.size());
  EXPECT_NO_THROW(loop.learn());
  EXPECT_NE(loop.loop.stats().find(R"("misfits":1)"), std::string::npos) << loop.loop.stats();
}

// Nobody asks for the reasons of such a decision: they must not end what was asked for.
TEST(LoopLearnerTest, AnEventWithNumbersThatNoModelTakesHasNoReasons) {
  fuzz::SmallLoop loop;
  loop.play(serve::Form::vectors);
  loop.learn();
  serve::EventRecord event = serve::decode_event(loop.engine.records[0].record.payload);
  ASSERT_FALSE(serve::reasons(*loop.loop.published(), event, 4).empty());
  event.vectors[0] = 1e16F;
  EXPECT_TRUE(serve::reasons(*loop.loop.published(), event, 4).empty());
}

TEST(CheckpointTest, ADamagedByteAnywhereIsNoticed) {
  fuzz::SmallLoop loop;
  loop.play(serve::Form::vectors);
  loop.learn();
  const std::string whole = loop.engine.checkpoints.at(1).bytes;
  EXPECT_EQ(resumed(whole), std::pair(serve::Sequence{8}, std::string()));
  EXPECT_EQ(resumed(std::string("\2\0\0\0", 4) + fuzz::body_of(whole)).first, 8U)
      << "before there was a checksum";
  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 300) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    const auto [position, told] = resumed(damaged);
    EXPECT_EQ(position, 0U) << at;
    EXPECT_NE(told.find("checkpoint not used"), std::string::npos) << at;
  }
}

}  // namespace
}  // namespace neuralts
