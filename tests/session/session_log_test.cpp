#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "base/error_text.hpp"
#include "base/small_disk.hpp"
#include "base/temp_folder.hpp"
#include "neuralts/error.hpp"
#include "session/personal.hpp"

namespace neuralts {
namespace {

using testing::HasSubstr;

TEST(Session, LogsWhatItDecidesAndFitsFromIt) {
  const TempFolder folder;
  {
    Session session(spec_of("random", 16));
    session.log_to(std::make_shared<LogWriter>(folder.file("log.jsonl")));
    earned(session, 300);
  }
  Session fitted(spec_of("linear-ucb", 100));
  const FitReport report = fitted.fit(folder.file("log.jsonl"));
  EXPECT_EQ(report.events, 300u);
  EXPECT_NEAR(report.weight_largest, 1, 1e-12);  // two arms, one half each
  EXPECT_TRUE(fitted.frozen());
  EXPECT_GT(earned(fitted, 100, 5), 90);
  EXPECT_THROW(fitted.fit(folder.file("nowhere")), Error);
}

// A column that is the same for all contexts of a decision, and one that is not, or not either: only what was not chosen says
// which it is. Who learns from a log is told.
Decision fitted_from(const char* policy, bool common) {
  std::string log = R"({"neuralts_log":1})" "\n";
  for (int t = 0; t < 60; ++t) {
    const double hour = t % 7, price = t % 5, other = common ? hour : hour + 1;
    log += fmt::format(R"({{"contexts":[[{},{}],[{},{}]],"arm":0,"reward":{},"probabilities":[0.5,0.5]}})" "\n", hour, price, other,
                       price + 1, hour * hour - price);
  }
  const auto fresh = make_policy({.name = policy, .shape = {.length = 2}});
  LogReader reader(log, "test");
  EXPECT_EQ(fit(*fresh, reader).events, 60u);
  Stream explore(1, Purpose::exploration);
  Scratch scratch;
  Decision decision;
  fresh->select(Contexts::per_arm(std::array{3.0, 1.0, 3.0, 4.0}, 2), explore, scratch, decision);
  return decision;
}

TEST(Session, FitTellsWhatTheDecisionsOfALogWereBetween) {
  EXPECT_NE(fitted_from("neural-ts", true).width, fitted_from("neural-ts", false).width);
  EXPECT_EQ(fitted_from("linear-ts", true).width, fitted_from("linear-ts", false).width) << "who does not ask";
}

TEST(Session, AnEventIdThatTheLogWouldChangeIsRefused) {
  const TempFolder folder;
  const FieldTable objects = parse_objects(R"({"actions":["red","blue"]})");
  Session session(spec_of("linear-ts"));
  session.select(objects, 1, "\xff");
  session.log_to(std::make_shared<LogWriter>(folder.file("log.jsonl")));
  EXPECT_THAT(error_text<ContractError>([&] { session.select(objects, 1, "\xfe"); }),
              HasSubstr("the event id is not UTF-8 text"));
  EXPECT_EQ(session.open(), 1U);
  session.select(objects, 1, "\xc3\xa9");
  EXPECT_EQ(session.open(), 2U);
}

// Whoever is told that the log is full may say the same again when there is room: nothing counts twice, nothing is lost.
TEST(Session, WhatTheLogRefusesHasNotHappened) {
  const TempFolder folder;
  Session session(spec_of("linear-ucb", 2));
  session.log_to(std::make_shared<LogWriter>(folder.file("log.jsonl"), LogWriterOptions{.flush_seconds = 0}));
  Stream stream(6, Purpose::environment);
  for (int i = 0; i < 4; ++i) session.select(personal(stream), i, "e" + std::to_string(i));
  session.reward("e0", 1, 9);
  const auto before = session.to_bytes();
  {
    const SmallDisk full(std::filesystem::file_size(folder.file("log.jsonl")));
    EXPECT_THROW(session.reward("e1", 1, 9), Error);
    EXPECT_THROW(session.expire(9, 0, 0.0), Error);
    EXPECT_EQ(session.to_bytes(), before);
    EXPECT_THROW(session.select(personal(stream), 5, "refused"), Error);
  }
  EXPECT_EQ(session.open(), 3u);
  EXPECT_EQ(session.decisions(), 4u);
  EXPECT_EQ(session.reward("refused", 1, 9), Settled::unknown);
  EXPECT_EQ(session.reward("e1", 1, 9), Settled::learned);
  EXPECT_EQ(session.expire(9, 0, 0.0), 2u);
  session.log_to(nullptr);
  LogReader log(folder.file("log.jsonl"));
  for (Event event; log.next(event);) EXPECT_TRUE(event.reward) << event.id;
  EXPECT_EQ(log.counts().events, 4u);
  EXPECT_EQ(log.counts().duplicate_rewards, 0u);
}

TEST(Session, FitWeights) {
  Event event;
  event.set_arms(4);
  event.probabilities = {0.1, 0.2, 0.3, 0.4};
  event.arm = 0;
  EXPECT_DOUBLE_EQ(fit_weight(event, {}), 2.5);
  event.kept = 0.5;
  EXPECT_DOUBLE_EQ(fit_weight(event, {}), 5);
  EXPECT_DOUBLE_EQ(fit_weight(event, {.largest = 3}), 3);
  EXPECT_DOUBLE_EQ(fit_weight(event, {.weigh = false}), 1);
}

}  // namespace
}  // namespace neuralts
