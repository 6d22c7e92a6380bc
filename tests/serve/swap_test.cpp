// Models swapped while decisions are made: every decision of the journal is made again from its model's version
// and its seed.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "neuralts/serve.hpp"
#include "serve/journal/sqlite_view.hpp"
#include "serve/model_file.hpp"

namespace neuralts::serve {

namespace {

constexpr const char* loop_json =
    R"({"policy":"linear-ts","params":{"draw":"independent"},"publish_seconds":0.1,"holdout":0})";

double number_of(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atof(text);
}

/// One request on a connection of its own: the body of the answer, empty when it is not 200.
std::string asked(const std::string& url, const std::string& method, const std::string& target,
                  const std::string& body) {
  const int connection = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const std::string request =
      method + " " + target +
      " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/octet-stream\r\n" +
      "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  std::string answer;
  char bytes[65536];
  if (::connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    for (std::size_t at = 0; at < request.size();) {
      const ssize_t count = ::send(connection, request.data() + at, request.size() - at, MSG_NOSIGNAL);
      if (count <= 0) break;
      at += static_cast<std::size_t>(count);
    }
    for (ssize_t count; (count = ::recv(connection, bytes, sizeof bytes, 0)) > 0;)
      answer.append(bytes, static_cast<std::size_t>(count));
  }
  ::close(connection);
  return answer.starts_with("HTTP/1.1 200") ? answer.substr(answer.find("\r\n\r\n") + 4) : std::string();
}

LoadReport loaded(const std::string& url, double rate, double seconds) {
  LoadOptions options;
  options.url = url;
  options.rate = rate;
  options.seconds = seconds;
  // With the one that swaps fewer than those beyond which waiting is refused: nothing may fail.
  options.connections = 48;
  return run_load(options);
}

/// A model that the service has learned, another than `known`; empty: none came. Where a model takes long to write, as on
/// a machine that has much else to do, the next one waits for twenty times as long.
std::string taught_model(const std::string& url, const std::string& known) {
  for (int i = 0; i < 200; ++i) {
    loaded(url, 300, 0.3);
    const std::string found = asked(url, "GET", "/v1/loops/default/model", "");
    if (!found.empty() && found != known) return found;
  }
  return {};
}

/// The decisions of the journal that were made by one of these models and come out differently; how many were
/// compared.
std::size_t compare(const std::string& folder, const std::map<std::uint64_t, Published>& models,
                    double exploration, std::size_t& differ) {
  SqliteView view(folder);
  const auto reader = view.reader();
  std::vector<Record> records;
  Workspace workspace;
  Verdict verdict;
  Offered offered;
  std::size_t compared = 0;
  for (Sequence at = 0, before = ~Sequence{0}; at != before;) {
    records.clear();
    before = at;
    at = reader->read_events(at, 1000, 1, records);
    for (const Record& record : records) {
      const EventRecord event = decode_event(record.payload);
      const auto model = models.find(event.model);
      if (model == models.end()) continue;
      offered_from(event, offered);
      decide(model->second, offered, exploration, event.seed, workspace, verdict);
      differ += verdict.action != event.chosen || verdict.probabilities != event.probabilities;
      ++compared;
    }
  }
  return compared;
}

}  // namespace

TEST(SwapThreadsTest, EveryDecisionIsOfOneModelAndCanBeMadeAgain) {
  const auto swaps = static_cast<std::size_t>(number_of("NEURALTS_SWAPS", 60));
  const double rate = number_of("NEURALTS_RATE", 400), seconds = swaps > 100 ? 10 : 2;
  const std::string folder = testing::TempDir() + "swap-" + std::to_string(::getpid());
  std::map<std::uint64_t, Published> models;
  LoadReport report;
  {
    DecisionServer server({.folder = folder, .listen = "127.0.0.1:0", .default_loop = loop_json});
    const std::string url = server.address(), model = "/v1/loops/default/model";
    std::string taught[2];
    taught[0] = taught_model(url, "");
    taught[1] = taught_model(url, taught[0]);
    ASSERT_FALSE(taught[0].empty());
    ASSERT_FALSE(taught[1].empty());
    std::atomic<bool> done = false;
    std::thread load([&] {
      do {
        const LoadReport part = loaded(url, rate, seconds);
        report.decisions += part.decisions, report.errors += part.errors, report.refused += part.refused;
      } while (!done);
    });
    for (std::size_t i = 0; i < swaps; ++i) {
      const std::string answer = asked(url, "PUT", model, taught[i % 2]);
      ASSERT_FALSE(answer.empty()) << "swap " << i;
      const std::uint64_t version = nlohmann::json::parse(answer).at("model");
      models[version] = model_from_bytes(taught[i % 2], "test");
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds / static_cast<double>(swaps) / 2));
    }
    done = true;
    load.join();
    server.stop();
  }
  std::size_t differ = 0;
  const std::size_t compared = compare(folder, models, 0.02, differ);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(models.size(), swaps);
  EXPECT_EQ(report.errors, 0U);
  EXPECT_EQ(differ, 0U);
  EXPECT_GT(compared, report.decisions / 2);
  std::printf("%zu swaps under %lu decisions: %zu made again, %zu differ, %lu errors, %lu of them refused\n",
              swaps, report.decisions, compared, differ, report.errors, report.refused);
}

}  // namespace neuralts::serve
