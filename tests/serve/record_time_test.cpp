// The time of records where the clock is set back.
#include "serve/record_time.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "serve/journal/sqlite_journal.hpp"
#include "serve/service.hpp"
#include "sim_oracle.hpp"

namespace neuralts::serve {
namespace {

constexpr std::int64_t second = 1'000'000, day = 86'400 * second;

TEST(RecordTimeTest, NeverGoesBackAndCatchesUpAtHalfThePace) {
  SimClock clock;
  RecordTime time(clock);
  const std::int64_t start = clock.now;
  EXPECT_EQ(time.now_us(), start);
  clock.pass(second);
  EXPECT_EQ(time.now_us(), start + second) << "it is the clock's while that goes forward";
  clock.now -= 10 * second;
  EXPECT_EQ(time.now_us(), start + second);
  for (int i = 0; i < 1000; ++i) clock.pass(1), time.now_us();  // nothing is lost between calls
  EXPECT_EQ(time.now_us(), start + second + 500);
  clock.pass(20 * second);
  EXPECT_EQ(time.now_us(), clock.now) << "it has caught up";
  time.stored(clock.now + day);
  clock.pass(2 * second);
  EXPECT_EQ(time.now_us(), clock.now - 2 * second + day + second);
}

class SetBack : public testing::Test {
 protected:
  SetBack()
      : journal_(folder_.path, {.vfs = "", .sync = Sync::normal}),
        service_({}, journal_, clock_, entropy_, log_) {}

  nlohmann::json asked(const char* method, const std::string& target, const char* body = "") {
    Answer answer;
    service_.handle({method, target, body, "application/json", ""}, *worker_,
                    [&](Answer&& given) { answer = std::move(given); });
    while (service_.commit_step()) continue;
    return nlohmann::json::parse(answer.body);
  }
  /// Learns what there is, also what ticks bring.
  void learn() {
    const auto runtime = service_.loops()->find("shop")->second;
    for (int i = 0; i < 4; ++i) {
      while (service_.learn_step(*runtime, {})) continue;
      while (service_.commit_step()) continue;
    }
    runtime->learner->flush();  // and shows it
  }

  struct Folder {
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    const std::string path = testing::TempDir() + "set-back-" + std::to_string(::getpid());
  } folder_;
  SimClock clock_;
  SystemEntropy entropy_;
  Log log_{clock_, {}};
  SqliteJournal journal_;
  Service service_;
  std::unique_ptr<Worker> worker_ = service_.make_worker();
};

/// The window of what was decided after the clock was set right closes, and is not kept open for the day that
/// the clock was ahead.
TEST_F(SetBack, WindowsCloseBeforeTheClockHasCaughtUp) {
  asked("PUT", "/v1/loops/shop",
        R"({"policy":"random","holdout":0,"reward":{"window_seconds":10,"aggregation":"sum"}})");
  const auto decide = [&] { asked("POST", "/v1/loops/shop/rank", R"({"actions":[{"id":"a"},{"id":"b"}]})"); };
  const auto defaults = [&] { return asked("GET", "/v1/loops/shop/stats")["defaults"]; };
  decide();
  clock_.now -= day;
  decide();
  clock_.pass(15 * second);
  learn();
  EXPECT_EQ(defaults(), 0) << "half of 15 seconds";
  clock_.pass(15 * second);
  learn();
  EXPECT_EQ(defaults(), 2);
}

}  // namespace
}  // namespace neuralts::serve
