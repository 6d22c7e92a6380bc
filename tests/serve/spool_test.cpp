// A node whose shared journal is away at the wrong moment: what it does not know it must not make anew.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "serve/journal/sqlite_journal.hpp"
#include "serve/node/shipper.hpp"
#include "serve/node/spool_journal.hpp"
#include "serve/service.hpp"
#include "sim_disk.hpp"
#include "sim_shared.hpp"

namespace neuralts::serve {
namespace {

struct StillClock final : Clock {
  std::int64_t now_us() const override { return now; }
  std::int64_t ticks_us() const override { return ticks; }
  std::int64_t now = 1'700'000'000'000'000, ticks = 1;
};

class SpoolTest : public testing::Test {
 protected:
  SpoolTest()
      : folder_(testing::TempDir() + "spool-" + std::to_string(::getpid())),
        log_(clock_, [](const std::string&) {}) {
    options_.several = true;
    options_.default_loop.policy = "linear-ts";
  }
  ~SpoolTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Journal> spool(const std::string& node) {
    std::filesystem::create_directories(folder_ + "/" + node);
    return std::make_unique<SqliteJournal>(folder_ + "/" + node, SqliteOptions{});
  }
  std::unique_ptr<Service> start(Journal& journal) {
    return std::make_unique<Service>(options_, journal, clock_, entropy_, log_);
  }

  int ask(Service& service, const char* method, const char* target, const std::string& body) {
    const auto worker = service.make_worker();
    int status = 0;
    const char* type = body.starts_with('{') ? "application/json" : "application/octet-stream";
    service.handle({method, target, body, type, ""}, *worker, [&](const Answer& answer) { status = answer.status; });
    service.commit_step();
    return status;
  }
  void decide(Service& service, const std::string& id = "") {
    const std::string name = id.empty() ? "" : R"("event_id":")" + id + R"(",)";
    ask(service, "POST", "/v1/loops/default/rank", "{" + name + R"("actions":[{"id":"a","vector":[1]}]})");
  }
  void learn(Service& service, Shipper& shipper, const std::string& event) {
    decide(service, event);
    ask(service, "POST", ("/v1/events/" + event + "/reward").c_str(), R"({"value":1})");
    shipper.step(100);
    clock_.ticks += 100'000'000;
    service.learn_step(*service.loops()->begin()->second, {});
  }
  std::size_t ticks() const {
    return static_cast<std::size_t>(std::count_if(engine_.records.begin(), engine_.records.end(),
                                                  [](const auto& stored) { return stored.record.kind == Kind::tick; }));
  }

  std::string folder_;
  StillClock clock_;
  SeededEntropy entropy_{5};
  Log log_;
  ServiceOptions options_;
  SimEngine engine_;
  SimShared shared_{engine_};
};

// What it remembers of a model is for times without the shared journal; where it cannot be read the next
// model takes its place.
TEST_F(SpoolTest, ADamagedCopyOfAModelIsNone) {
  SimEngine engine;
  engine.models[1][1] = {.version = 1, .sha256 = {}, .note = {}, .bytes = "known"};
  SimShared shared(engine);
  const auto own = spool("a");
  SpoolJournal journal(*own, shared, clock_, 1);
  for (const bool damaged : {true, false}) {
    EXPECT_EQ(journal.model(1, 1)->bytes, "known");
    if (damaged) own->put_setting("copy/model/1", "damaged");
    shared.cut = true;
    EXPECT_EQ(journal.models(1).size(), damaged ? 0U : 1U);
    EXPECT_EQ(journal.model(1, 1).has_value(), !damaged);
    shared.cut = false;
    clock_.ticks += 10'000'000;
  }
}

// Found by killing primaries: ids that one node had made were forged ones to the other.
TEST_F(SpoolTest, ANodeThatHasNeverMetTheJournalDoesNotReplaceItsSecret) {
  const auto first_spool = spool("first"), second_spool = spool("second");
  SpoolJournal first(*first_spool, shared_, clock_, 1), second(*second_spool, shared_, clock_, 2);
  start(first);
  const auto settings = engine_.settings;
  ASSERT_TRUE(settings.contains("secret"));
  shared_.cut = true;
  second.get_setting("anything");  // from now on it counts as away for a second
  shared_.cut = false;
  EXPECT_THROW(start(second), JournalError);
  EXPECT_EQ(engine_.settings, settings);
  clock_.ticks += 2'000'000;
  start(second);
  EXPECT_EQ(engine_.settings, settings);
}

TEST_F(SpoolTest, ANodeThatHasMetItStartsFromMemory) {
  const auto own = spool("own");
  SpoolJournal journal(*own, shared_, clock_, 1);
  start(journal);
  shared_.cut = true;
  EXPECT_EQ(start(journal)->loops()->size(), 1U);
}

TEST_F(SpoolTest, DuringAChangeNothingIsAnsweredFromMemory) {
  const auto own = spool("own");
  SpoolJournal journal(*own, shared_, clock_, 1);
  start(journal);
  auto turn = journal.turn();
  ASSERT_TRUE(turn);
  shared_.cut = true;
  EXPECT_THROW(journal.settings("loop/"), JournalError);
  turn.reset();
  EXPECT_EQ(journal.settings("loop/").size(), 1U);
  EXPECT_FALSE(journal.turn());
}

// A learner whose disk was full stored its model again every second, until the ten that are kept were one.
TEST_F(SpoolTest, WhatThereIsNoRoomToRememberIsDoneAllTheSame) {
  SimDisk disk(1);
  SqliteOptions options;
  options.vfs = disk.name();
  SqliteJournal own("j", options);
  SpoolJournal journal(own, shared_, clock_, 1);
  start(journal);
  disk.limit(disk.used());
  const std::string large(100'000, 'm');
  journal.put_model(1, {1, 0, 0, "", "{}", large}, 10);
  EXPECT_EQ(journal.model(1, 1)->bytes, large);
  journal.put_setting("loop/more", large);
  EXPECT_EQ(*journal.get_setting("loop/more"), large);
}

// A load balancer asks nobody that is not ready.
TEST_F(SpoolTest, ADiskThatHasRoomAgainIsNoticedThoughNobodyAsks) {
  SimDisk disk(1);
  SqliteOptions options;
  options.vfs = disk.name();
  SqliteJournal own("j", options);
  SpoolJournal journal(own, shared_, clock_, 1);
  const auto service = start(journal);
  disk.limit(disk.used());
  decide(*service);
  ASSERT_FALSE(service->ready());
  const auto try_again = [&] {
    service->try_again();
    service->commit_step();
    return service->ready();
  };
  EXPECT_FALSE(try_again());
  disk.limit(~std::uint64_t{0});
  EXPECT_TRUE(try_again());
  EXPECT_EQ(own.info().last, 1U);
  EXPECT_TRUE(try_again());
  EXPECT_EQ(own.info().last, 1U);
}

// Imports at one node while another publishes: some were answered 500, and the loop was held at what it had.
TEST_F(SpoolTest, AModelThatIsImportedServesWhateverAnotherNodePublishes) {
  options_.default_loop.holdout = 0;
  const auto own = spool("own"), others = spool("other");
  SpoolJournal journal(*own, shared_, clock_, 1), other_journal(*others, shared_, clock_, 2);
  Shipper shipper(*own, shared_, 1);
  const auto service = start(journal);
  journal.set_learning(true);
  service->set_learning(true);
  learn(*service, shipper, "first");
  auto& models = engine_.models[1];
  ASSERT_EQ(models.size(), 1U);
  const auto other = start(other_journal);
  const std::string bytes = models[1].bytes;
  engine_.before_model = [&] { learn(*service, shipper, "second"); };
  EXPECT_EQ(ask(*other, "PUT", "/v1/loops/default/model", bytes), 200);
  EXPECT_EQ(models.rbegin()->second.note, R"({"imported":true})");
  learn(*service, shipper, "third");  // has not heard of it yet
  EXPECT_EQ(models.size(), 3U);
  service->refresh();
  learn(*service, shipper, "fourth");
  EXPECT_EQ(models.size(), 3U);
  EXPECT_EQ(service->loops()->begin()->second->loop.published()->version, 3U);
}

TEST_F(SpoolTest, TicksWaitForAClockThatIsBehind) {
  options_.default_loop.window_us = 5'000'000;
  options_.default_loop.holdout = 0;
  const auto own = spool("own");
  SpoolJournal journal(*own, shared_, clock_, 1);
  Shipper shipper(*own, shared_, 1);
  const auto service = start(journal);
  journal.set_learning(true);
  service->set_learning(true);
  engine_.time_us_max = clock_.now - 60'000'000;
  decide(*service);
  auto& runtime = *service->loops()->begin()->second;
  const auto live = [&](int tenths) {
    for (int i = 0; i < tenths * 10; ++i) {
      clock_.now += 10'000, clock_.ticks += 10'000;
      service->commit_step();
      shipper.step(100);
      service->learn_step(runtime, {});
    }
  };
  live(30);
  EXPECT_LE(ticks(), 3U);
  EXPECT_EQ(runtime.loop.learner.learned, 0U);
  engine_.time_us_max = clock_.now;
  live(20);
  EXPECT_EQ(runtime.loop.learner.learned, 1U);
}

TEST_F(SpoolTest, AJournalThatIsKeptForEverNeedsNoSpoolForEver) {
  const auto own = spool("own");
  SpoolJournal journal(*own, shared_, clock_, 1);
  Shipper shipper(*own, shared_, 1);
  const auto service = start(journal);
  for (int day = 0; day < 10; ++day) {
    decide(*service);
    shipper.step(100);
    journal.set_shipped(shipper.shipped(), shipper.shipped_us());
    service->forget_old();
    clock_.now += 86'400'000'000;
  }
  EXPECT_LE(own->info().segments, 5U);
  EXPECT_EQ(engine_.records.size(), 10U);
}

// An older copy of a folder, or a copy in which another node runs.
TEST_F(SpoolTest, WhatAnotherHasShippedUnderItsNumberIsNotTakenForItsOwn) {
  shared_.writer("one", 0);
  const auto one_spool = spool("one"), copy = spool("copy");
  SpoolJournal one(*one_spool, shared_, clock_, 1), two(*copy, shared_, clock_, 1);
  Shipper one_ships(*one_spool, shared_, 1), two_ships(*copy, shared_, 1);
  const auto service = start(one), other = start(two);
  two_ships.look();
  decide(*service);
  one_ships.step(100);
  decide(*other);
  decide(*other);
  EXPECT_THROW(two_ships.step(100), NumberTaken);
  EXPECT_THROW(two_ships.step(100), NumberTaken);
  two_ships.go_on_as(shared_.writer("copy", two_ships.own()));
  two_ships.step(100);
  EXPECT_EQ(engine_.records.size(), 3U);
}

}  // namespace
}  // namespace neuralts::serve
