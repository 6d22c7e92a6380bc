// The door by itself: whose a connection is while others work on its request, and what happens when there are
// too many.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "serve/http.hpp"
#include "serve/http/plain_request.hpp"
#include "serve/http/wire_text.hpp"
#include "serve/http/work_queue.hpp"

namespace neuralts::serve {
namespace {

/// A caller over one plain connection.
class Caller {
 public:
  /// `narrow`: little is on its way at a time.
  explicit Caller(std::uint16_t port, bool narrow = false) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const int room = 2048, segment = 536;
    if (narrow) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    if (narrow) ::setsockopt(socket_, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~Caller() { ::close(socket_); }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  void ask(const std::string& text = "POST /x HTTP/1.1\r\nHost: here\r\nContent-Length: 0\r\n\r\n") const {
    ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
  }
  /// As often as the door takes it, without a look at what it says.
  void ask_deaf(const std::string& text) {
    pollfd ready{.fd = socket_, .events = POLLOUT, .revents = 0};
    while (::poll(&ready, 1, 50) > 0) {
      const ssize_t count = ::send(socket_, &text[sent_], text.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0) return;
      sent_ = (sent_ + static_cast<std::size_t>(count)) % text.size();
    }
  }
  void hear_a_little() const {
    char bytes[4096];
    for (int left = 8; left > 0 && ::recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT) > 0;) --left;
  }
  /// What comes, up to `end` or "done"; less when the connection ends before, "reset" when it was torn down.
  std::string answer(const std::string& end) const {
    std::string all;
    while (all.find(end) == std::string::npos && all.find("done") == std::string::npos) {
      char bytes[4096];
      const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
      if (count < 0) return "reset";
      if (count == 0) break;
      all.append(bytes, static_cast<std::size_t>(count));
    }
    return all;
  }

 private:
  const int socket_;
  std::size_t sent_ = 0;
};

/// Answers from a thread of its own, as the committer does, and keeps every reply until it is told to forget them.
class SlowService {
 public:
  explicit SlowService(std::size_t connections_max)
      : door_({.port = 0, .threads = 1, .connections_max = connections_max},
              [this](const Request&, std::size_t, Reply reply) { take(std::move(reply)); }, {}) {
    door_.start();
    worker_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  }
  ~SlowService() {
    worker_.request_stop();
    arrived_.notify_all();
    worker_.join();
    door_.stop();
  }
  std::uint16_t port() const { return door_.port(); }

 private:
  void take(Reply reply) {
    const std::lock_guard lock(mutex_);
    replies_.push_back(std::move(reply));
    arrived_.notify_all();
  }
  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    for (std::size_t answered = 0; arrived_.wait(lock, stop, [&] { return answered < replies_.size(); });) {
      replies_[answered++]({200, "text/plain", "done", {}});
      door_.flush();
    }
  }

  HttpServer door_;
  std::mutex mutex_;
  std::condition_variable_any arrived_;
  std::vector<Reply> replies_;
  std::jthread worker_;
};

std::string call_once(std::uint16_t port) {
  const Caller caller(port);
  caller.ask();
  return caller.answer("done");
}

/// Before, whoever kept a reply kept its connection, and ended it on a thread of its own.
TEST(HttpTest, WhoKeepsAReplyKeepsNoConnection) {
  SlowService service(1);
  for (int i = 0; i < 20; ++i) {
    std::string text = call_once(service.port());
    for (int again = 0; again < 1000 && text.find("too many connections") != std::string::npos; ++again) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the last one's end has not been noticed yet
      text = call_once(service.port());
    }
    ASSERT_THAT(text, testing::HasSubstr("200 OK")) << "connection " << i;
  }
}

TEST(HttpTest, OneConnectionTooManyIsToldSo) {
  SlowService service(1);
  const Caller first(service.port());
  first.ask();
  ASSERT_THAT(first.answer("done"), testing::HasSubstr("200 OK"));
  for (int i = 0; i < 20; ++i) {
    const Caller second(service.port());
    second.ask();
    const std::string text = second.answer("\n\n");  // to the end: the body has no empty line
    EXPECT_THAT(text, testing::HasSubstr("429 Too Many Requests"));
    EXPECT_THAT(text, testing::HasSubstr("Retry-After: 1"));
    EXPECT_THAT(text, testing::HasSubstr("too many connections"));
  }
  first.ask();
  EXPECT_THAT(first.answer("done"), testing::HasSubstr("200 OK")) << "the first one is still there";
}

TEST(HttpTest, AnsweredByManyThreadsEveryConnectionEndsWell) {
  SlowService service(1000);
  std::vector<std::jthread> callers;
  std::atomic<int> good{0};
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 250; ++i) good += call_once(service.port()).find("200 OK") != std::string::npos ? 1 : 0;
    });
  callers.clear();
  EXPECT_EQ(good, 1000);
}

/// A connection that only counts its turns.
class Counted final : public HttpConnection {
 public:
  explicit Counted(std::vector<const HttpConnection*>& turns) : turns_(turns) {}
  void start() override {}
  void work() override { turns_.push_back(this); }
  void respond(Answer&&) override {}
  void close() override {}
  bool idle() const override { return false; }

 private:
  std::vector<const HttpConnection*>& turns_;
};

TEST(HttpTest, ConnectionsGoToTheThreadsInTurn) {
  std::array<std::atomic<int>, 3> asked{};
  HttpServer door({.port = 0, .threads = asked.size()},
                  [&](const Request&, std::size_t worker, const Reply& reply) {
                    ++asked[worker];
                    reply({200, "text/plain", "done", {}});
                  },
                  {});
  door.start();
  for (int i = 0; i < 12; ++i) {
    const Caller caller(door.port());
    caller.ask();
    EXPECT_THAT(caller.answer("done"), testing::HasSubstr("done"));
  }
  for (const auto& count : asked) EXPECT_EQ(count, 4);
}

TEST(HttpTest, APortIsHadOnce) {
  for (const std::size_t threads : {1, 2}) {
    const auto nothing = [](const Request&, std::size_t, const Reply&) {};
    const HttpServer first({.port = 0, .threads = threads}, nothing, {});
    try {
      const HttpServer second({.port = first.port(), .threads = threads}, nothing, {});
      ADD_FAILURE() << "two services share a port";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("127.0.0.1:" + std::to_string(first.port())));
      EXPECT_THAT(error.what(), testing::HasSubstr("--listen"));
    }
  }
}

TEST(HttpTest, WhoWaitsIsWorkedOnInOrderAndTheWaitGrowsWithTheQueue) {
  WorkQueue queue;
  std::vector<const HttpConnection*> turns, expected;
  const auto work = [](HttpConnection& connection) { connection.work(); };
  EXPECT_EQ(queue.expected_wait(), WorkQueue::Ticks::duration{0}) << "who is alone does not wait";
  for (int i = 0; i < 5; ++i) {
    const auto before = queue.expected_wait();
    const auto connection = std::make_shared<Counted>(turns);
    expected.push_back(connection.get());
    queue.push(connection);
    EXPECT_GT(queue.expected_wait(), before);
  }
  queue.take_turn(WorkQueue::Ticks::duration{0}, work);  // over at once, but somebody got it
  EXPECT_EQ(turns.size(), 1U);
  while (!queue.empty()) queue.take_turn(std::chrono::hours(1), work);
  EXPECT_EQ(turns, expected);
  EXPECT_EQ(queue.expected_wait(), WorkQueue::Ticks::duration{0});
}

TEST(HttpTest, WhereAPlainRequestEnds) {
  const std::string head = "POST /x HTTP/1.1\r\nHost: a\r\n", whole = head + "Content-Length: 3\r\n\r\nabc";
  EXPECT_EQ(plain_request_size(whole), whole.size());
  EXPECT_EQ(plain_request_size(whole + "POST /y"), whole.size()) << "and the next one has begun";
  EXPECT_EQ(plain_request_size(head + "content-length:0\r\n\r\n"), head.size() + 20);
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_EQ(plain_request_size(whole.substr(0, size)), 0U);
  for (const std::string text : {
           "", "Content-Length: 3x\r\n", "Content-Length: -3\r\n", "Content-Length: +3\r\n", "Content-Length:\r\n",
           "Content-Length : 3\r\n", "Content-Length: 99999999999999999999\r\n",
           "Content-Length: 3\r\nContent-Length: 3\r\n", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
           "content-length: 3\r\nEXPECT: 100-continue\r\n", "Content-Length: 3\r\nconnection: close\r\n",
           "Content-Length: 3\r\n 4\r\n", "Content-Length: 3\r\nUpgrade: h2c\r\n"})
    EXPECT_EQ(plain_request_size(head + text + "\r\nabc"), 0U) << text;
  EXPECT_EQ(plain_request_size("GET /x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"), 0U);
  EXPECT_EQ(plain_request_size("POST /x HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc"), 0U);
}

/// What stands behind the header must not be taken for a request of its own.
TEST(HttpTest, ABodyWhoseEndIsNotKnownEndsTheConnection) {
  std::atomic<int> asked = 0;
  HttpServer door({.port = 0, .threads = 1},
                  [&](const Request&, std::size_t, const Reply& reply) {
                    ++asked;
                    reply({200, "text/plain", "done", {}});
                  },
                  {});
  door.start();
  const std::string inner = "POST /inner HTTP/1.1\r\nHost: here\r\nContent-Length: 0\r\n\r\n";
  for (const std::string coding : {"gzip", "identity", "chunked, gzip", "gzip, chunked", "xchunked"}) {
    const Caller caller(door.port());
    caller.ask("POST /x HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: " + coding + "\r\n\r\n" + inner);
    const std::string text = caller.answer("}");
    EXPECT_THAT(text, testing::HasSubstr("400 Bad Request")) << coding;
    EXPECT_THAT(text, testing::HasSubstr("Transfer-Encoding: chunked")) << coding;
    EXPECT_THAT(text, testing::HasSubstr("Connection: close")) << coding;
  }
  EXPECT_EQ(asked, 0);
  const Caller caller(door.port());
  caller.ask("POST /x HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
  EXPECT_THAT(caller.answer("done"), testing::HasSubstr("200 OK"));
}

TEST(HttpTest, WhatTheHeaderSaysReachesTheService) {
  HttpServer door(
      {.port = 0, .threads = 1},
      [](const Request& request, std::size_t, const Reply& reply) {
        reply({200,
               "text/plain",
               std::string(request.target) + " " + std::string(request.token) +
                   std::string(request.content_encoding) + " " + std::string(request.body) + " done",
               {}});
      },
      {});
  door.start();
  struct Case {
    std::string address, path;
  };
  for (const Case& each : {Case{"http://here/x?loop=a", "/x?loop=a"},
                           {"HTTP://here:80", "/"},
                           {"/x?to=http://a/b", "/x?to=http://a/b"}}) {
    const Caller caller(door.port());
    caller.ask("POST " + each.address +
               " HTTP/1.1\r\nHost: here\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nab");
    EXPECT_THAT(caller.answer("done"), testing::HasSubstr("\r\n\r\n" + each.path + " gzip ab done"));
  }
  const Caller old(door.port());
  old.ask("GET /old HTTP/1.0\r\nConnection: keep-alive\r\nAuthorization: BEARER abc\r\n\r\n");
  EXPECT_THAT(old.answer("done"),
              testing::AllOf(testing::HasSubstr("Connection: close"), testing::HasSubstr("/old abc  done")));
  const Caller caller(door.port());
  caller.ask("POST /x HTTP/1.1\r\nHost: here\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_THAT(caller.answer("\r\n\r\n"), testing::HasSubstr("100 Continue"));
}

/// Callers who ask to be told that the door waits for their body, and do not hear it.
TEST(HttpTest, WhoHearsNothingKeepsNobodyWaiting) {
  HttpServer door({.port = 0, .threads = 1},
                  [](const Request&, std::size_t, const Reply& reply) { reply({204, "text/plain", "", {}}); }, {});
  door.start();
  const std::string request =
      "POST /x HTTP/1.1\r\nHost: here\r\nExpect: 100-continue\r\nContent-Length: 20000\r\n\r\n" +
      std::string(20000, ' ');
  const Caller other(door.port());
  Caller deaf(door.port(), true);
  for (int i = 0; i < 100; ++i) {
    deaf.ask_deaf(request);
    other.ask();
    ASSERT_THAT(other.answer("\r\n\r\n"), testing::HasSubstr("204 No Content")) << i;
    deaf.hear_a_little();
  }
}

/// A chunk's head and the trailers count as a header does, however long they go on.
TEST(HttpTest, WhatStandsBetweenChunksIsLimited) {
  HttpServer door({.port = 0, .threads = 1},
                  [](const Request& request, std::size_t, const Reply& reply) {
                    reply({200, "text/plain", "[" + std::string(request.token) + "] done", {}});
                  },
                  {});
  door.start();
  const std::string head = "POST /x HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string begin : {"3;", "0", "3\r\nabc\r\n0\r\nX: "}) {
    const Caller caller(door.port());
    caller.ask(head + begin + std::string(100000, '0'));
    EXPECT_THAT(caller.answer("}"), testing::HasSubstr("431 Request Header Fields Too Large")) << begin;
  }
  const Caller caller(door.port());
  caller.ask(head + "3;a=b\r\nabc\r\n0\r\nX: y\r\nAuthorization: Bearer abc\r\n\r\n");
  EXPECT_THAT(caller.answer("done"), testing::HasSubstr("[] done")) << "who calls is said before the body";
}

TEST(HttpTest, LimitsMayBeAsLargeAsNumbersAre) {
  HttpServer door({.port = 0, .threads = 1, .body_max = std::size_t{1} << 62, .header_max = std::size_t{1} << 32},
                  [](const Request&, std::size_t, const Reply& reply) { reply({200, "text/plain", "done", {}}); }, {});
  door.start();
  const Caller caller(door.port());
  caller.ask("POST /x HTTP/1.1\r\nHost: here\r\nExpect: 100-continue\r\nContent-Length: 40000000000000000\r\n\r\n");
  EXPECT_THAT(caller.answer("\r\n\r\n"), testing::HasSubstr("100 Continue")) << "nothing is set aside for it";
}

TEST(HttpTest, AnAnswerWithoutContentHasNoLength) {
  std::string text;
  write_wire_text({204, "text/plain", "", {}}, true, false, text);
  EXPECT_EQ(text, "HTTP/1.1 204 No Content\r\nCache-Control: no-store\r\n\r\n");
  write_wire_text({200, "text/plain", "", {}}, true, false, text);
  EXPECT_THAT(text, testing::HasSubstr("\r\nContent-Length: 0\r\n"));
}

/// 300 callers at once, and a request takes a millisecond: the last would wait for 300. Those who would wait
/// for long are told to come again; everybody is answered, and afterwards everybody is served. The first
/// request is worked on until all have asked, on connections that the door knows: it takes new ones between turns.
TEST(HttpTest, WhoWouldWaitForLongIsRefused) {
  std::atomic<bool> slow = false, all_asked = false;
  const auto work = [&](const Request&, std::size_t, const Reply& reply) {
    if (slow) all_asked.wait(false);
    // Enough for 300 that ask at once to wait for longer than anybody should.
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
    while (std::chrono::steady_clock::now() < end) continue;
    reply({200, "text/plain", "done", {}});
  };
  HttpServer door({.port = 0, .threads = 1, .connections_per_address_max = 1000}, work, {});
  door.start();
  std::vector<std::unique_ptr<Caller>> callers;
  for (int i = 0; i < 300; ++i) {
    callers.push_back(std::make_unique<Caller>(door.port()));
    callers.back()->ask();
    ASSERT_THAT(callers.back()->answer("done"), testing::HasSubstr("200 OK"));
  }
  slow = true;
  for (const auto& caller : callers) caller->ask();
  all_asked = true;
  all_asked.notify_all();
  int served = 0, refused = 0;
  for (const auto& caller : callers) {
    const std::string text = caller->answer("}");  // the end of a refusal
    served += text.find("200 OK") != std::string::npos ? 1 : 0;
    refused += text.find("429 Too Many") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(served + refused, 300);
  EXPECT_GT(served, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace neuralts::serve
