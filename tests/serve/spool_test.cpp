// A node whose shared journal is away at the wrong moment: what it does not know it must not make anew.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "serve/journal/sqlite_journal.hpp"
#include "serve/node/spool_journal.hpp"
#include "serve/service.hpp"
#include "sim_shared.hpp"

namespace neuralts::serve {
namespace {

struct StillClock final : Clock {
  std::int64_t now_us() const override { return 1'700'000'000'000'000; }
  std::int64_t ticks_us() const override { return ticks; }
  std::int64_t ticks = 1;
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

  std::string folder_;
  StillClock clock_;
  SeededEntropy entropy_{5};
  Log log_;
  ServiceOptions options_;
  SimEngine engine_;
  SimShared shared_{engine_};
};

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

}  // namespace
}  // namespace neuralts::serve
