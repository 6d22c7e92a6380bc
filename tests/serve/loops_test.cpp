// Loops that come and go while others list them, measure them and look for an event's loop: what is listed
// outlives the listing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "serve/journal/sqlite_journal.hpp"
#include "serve/service.hpp"

namespace neuralts::serve {
namespace {

class LoopsThreadsTest : public testing::Test {
 protected:
  LoopsThreadsTest()
      : journal_(folder_.path, {.vfs = "", .sync = Sync::normal}),
        service_({}, journal_, clock_, entropy_, log_) {}

  /// REQUIRES a call that is answered at once.
  Answer asked(Worker& worker, const char* method, const std::string& target, const char* body = "") {
    Answer answer;
    service_.handle({method, target, body, "application/json", ""}, worker,
                    [&](Answer&& given) { answer = std::move(given); });
    return answer;
  }

  struct Folder {
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    const std::string path = testing::TempDir() + "loops-" + std::to_string(::getpid());
  } folder_;
  SystemClock clock_;
  SystemEntropy entropy_;
  Log log_{clock_, {}};
  SqliteJournal journal_;
  Service service_;
};

TEST_F(LoopsThreadsTest, AreListedWhileOthersMakeAndForgetThem) {
  constexpr int rounds = 60, loops = 3;
  std::atomic<bool> done{false};
  std::atomic<int> listed{0}, wrong{0};
  std::vector<std::jthread> watchers;
  for (const char* target : {"/v1/loops", "/metrics"})
    watchers.emplace_back([&, target] {
      const auto worker = service_.make_worker();
      for (; !done; ++listed) {
        const Answer answer = asked(*worker, "GET", target);
        wrong += answer.status != 200 || answer.body.find("default") == std::string::npos;
      }
    });
  watchers.emplace_back([&] {  // looks for the loop of every reward, and at all of them for what may be dropped
    const auto worker = service_.make_worker();
    while (!done) {
      service_.handle({"POST", "/v1/events/never/reward", R"({"value":1})", "application/json", ""}, *worker,
                      [&](Answer&& answer) { wrong += answer.status != 404; });
      service_.commit_step();
      service_.forget_old();
    }
  });
  const auto worker = service_.make_worker();
  const auto each = [&](const char* method, const char* body, int status) {
    for (int i = 0; i < loops; ++i)
      EXPECT_EQ(asked(*worker, method, "/v1/loops/shop" + std::to_string(i), body).status, status);
  };
  for (int round = 0; round < rounds || listed < rounds; ++round) {
    each("PUT", R"({"policy":"random"})", 201);
    each("DELETE", "", 204);
  }
  done = true;
  watchers.clear();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(service_.loops()->size(), 1U);
}

}  // namespace
}  // namespace neuralts::serve
