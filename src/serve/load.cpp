// The load client: one thread, one connection set, epoll.
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <thread>

#include "neuralts/random.hpp"
#include "neuralts/serve.hpp"
#include "serve/beside_answers.hpp"
#include "serve/processors.hpp"
#include "serve/thread_role.hpp"

namespace neuralts {

namespace {

using Time = std::int64_t;  // nanoseconds

constexpr Time wait_ns_max = 1'000'000;
constexpr Time tick_ns = 100'000;  // at high rates: so often it sends what is due and reads what has come

Time now() { return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Address {
  std::string host, port;
};

Address address_of(const std::string& url) {
  const std::string scheme = "http://";
  if (!url.starts_with(scheme))
    throw Error(ErrorCode::bad_spec, url, "the load client speaks plain HTTP", "http://HOST:PORT");
  std::string rest = url.substr(scheme.size());
  const auto path = rest.find('/');
  if (path != std::string::npos && path + 1 < rest.size())
    throw Error(ErrorCode::bad_spec, url, "the load client asks a service at its root", scheme + rest.substr(0, path));
  rest = rest.substr(0, path);
  const auto colon = rest.rfind(':');
  if (colon == std::string::npos) return {rest, "80"};
  return {rest.substr(0, colon), rest.substr(colon + 1)};
}

int connect_to(const Address& address) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found) != 0)
    throw Error(ErrorCode::io, address.host, "there is no such host");
  const int socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int status = ::connect(socket, found->ai_addr, found->ai_addrlen);
  ::freeaddrinfo(found);
  if (status != 0) {
    ::close(socket);
    throw Error(ErrorCode::io, address.host + ":" + address.port, std::strerror(errno), "is the service running?");
  }
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return socket;
}

/// The processor that handed over what came last; on one and the same machine that is the sender's. -1: who knows.
int sent_from(int socket) {
  int processor = -1;
  socklen_t size = sizeof processor;
  return ::getsockopt(socket, SOL_SOCKET, SO_INCOMING_CPU, &processor, &size) == 0 ? processor : -1;
}

/// A request that is due, or on its way.
struct Task {
  Time due = 0;
  bool reward = false;
};

struct Connection {
  int socket = -1;
  bool busy = false;
  Task task;
  std::string in;
};

class Load {
 public:
  explicit Load(const LoadOptions& options)
      : options_(options), address_(address_of(options.url)), random_(1, Purpose::environment) {
    serve::sleep_exactly();
    serve::take_turns(serve::Turn::moment);
    poll_ = ::epoll_create1(EPOLL_CLOEXEC);
    connections_.resize(options.connections);
    for (std::size_t i = 0; i < connections_.size(); ++i) open(i);
    for (int i = 0; i < 64; ++i) requests_.push_back(rank_request());
  }
  ~Load() {
    for (const auto& connection : connections_)
      if (connection.socket >= 0) ::close(connection.socket);
    ::close(poll_);
    serve::stay_on(processors_);
  }

  LoadReport run() {
    const Time start = start_ = now(), end = start + static_cast<Time>(options_.seconds * 1e9);
    const double step_ns = 1e9 / (options_.rate * (1 + options_.reward_share));
    ticking_ = 2 * step_ns < tick_ns;
    double next = static_cast<double>(start), owed = 0;
    while (true) {
      const Time time = now();
      for (; next <= static_cast<double>(time) && next < static_cast<double>(end); next += step_ns) {
        owed += options_.reward_share / (1 + options_.reward_share);
        const bool reward = owed >= 1 && !events_.empty();
        if (reward) owed -= 1;
        due_.push_back({static_cast<Time>(next), reward});
      }
      while (!due_.empty() && !free_.empty()) send();
      if (time >= end && due_.empty() && free_.size() == connections_.size()) break;
      if (time >= end + 10'000'000'000) break;
      receive(free_.empty() ? wait_ns_max : std::clamp<Time>(static_cast<Time>(next) - now(), 0, wait_ns_max));
    }
    report_.errors += due_.size() + connections_.size() - free_.size();
    report_.seconds = static_cast<double>(now() - start) / 1e9;
    report_.rate = static_cast<double>(report_.decisions) / options_.seconds;
    report_latencies();
    return report_;
  }

 private:
  void open(std::size_t i) {
    connections_[i] = {};
    connections_[i].socket = connect_to(address_);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    ::epoll_ctl(poll_, EPOLL_CTL_ADD, connections_[i].socket, &event);
    free_.push_back(i);
  }

  std::string request_text(const std::string& target, const std::string& body) const {
    const std::string token = options_.token.empty() ? "" : "Authorization: Bearer " + options_.token + "\r\n";
    return fmt::format(
        "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n{}Content-Length: {}\r\n\r\n{}",
        target, address_.host, token, body.size(), body);
  }

  std::string rank_request() {
    std::string body = options_.objects ? R"({"context":{"country":"DE","hour":14},"actions":[)"
                                        : R"({"actions":[)";
    for (std::size_t k = 0; k < options_.actions; ++k) {
      body += fmt::format(R"({}{{"id":"action-{}",)", k > 0 ? "," : "", k);
      body += options_.objects ? R"("features":{)" : R"("vector":[)";
      for (std::size_t i = 0; i < options_.length; ++i) {
        body += i > 0 ? "," : "";
        if (options_.objects && i % 2 == 1)
          body += fmt::format(R"("feature{}":"value{}")", i, random_.below(8));
        else
          body += options_.objects ? fmt::format(R"("feature{}":{:.4f})", i, random_.normal())
                                   : fmt::format("{:.4f}", random_.normal());
      }
      body += options_.objects ? "}}" : "]}";
    }
    return request_text("/v1/loops/" + options_.loop + "/rank", body + "]}");
  }

  void send() {
    const Task task = due_.front();
    due_.pop_front();
    const std::size_t i = free_.front();
    free_.pop_front();
    Connection& connection = connections_[i];
    connection.busy = true;
    connection.task = task;
    std::string reward;
    std::string_view request = reward;
    if (task.reward && !events_.empty()) {
      request = reward = request_text("/v1/events/" + events_.front() + "/reward",
                                      random_.below(2) == 0 ? R"({"value":1})" : R"({"value":0})");
      events_.pop_front();
    } else {
      connection.task.reward = false;
      request = requests_[sent_++ % requests_.size()];
    }
    for (std::size_t at = 0; at < request.size();) {
      const ssize_t count = ::send(connection.socket, request.data() + at, request.size() - at, MSG_NOSIGNAL);
      if (count <= 0) return broken(i);
      at += static_cast<std::size_t>(count);
    }
  }

  void broken(std::size_t i) {
    ++report_.errors;
    ::close(connections_[i].socket);
    connections_[i].socket = -1;
    open(i);
  }

  /// What has come; waits for it until the next request is due, instead of taking a processor from the service.
  /// At high rates a wake-up for each request and each answer would take most of one: it then looks at every
  /// tick, and latencies count that wait as well.
  void receive(Time wait_ns) {
    epoll_event events[256];
    if (ticking_) std::this_thread::sleep_for(std::chrono::nanoseconds(tick_ns - now() % tick_ns));
    const timespec timeout{0, ticking_ ? 0 : wait_ns};
    const int count = ::epoll_pwait2(poll_, events, 256, &timeout, nullptr);
    for (int e = 0; e < count; ++e) read(events[e].data.u64);
  }

  void read(std::size_t i) {
    Connection& connection = connections_[i];
    char bytes[16384];
    const ssize_t count = ::recv(connection.socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return connection.busy ? broken(i) : reopen(i);
    connection.in.append(bytes, static_cast<std::size_t>(count));
    const auto header = connection.in.find("\r\n\r\n");
    if (header == std::string::npos) return;
    const auto length = connection.in.find("Content-Length: ");
    const std::size_t body = std::strtoul(connection.in.c_str() + length + 16, nullptr, 10);
    if (length == std::string::npos || connection.in.size() < header + 4 + body) return;
    const int status = std::atoi(connection.in.c_str() + 9);
    if (status == 200) stay_beside(connection.socket);
    finish(connection, status);
    connection.in.clear();
    connection.busy = false;
    free_.push_back(i);
  }

  void stay_beside(int socket) {
    if (!place_.asks()) return;
    if (const auto processor = place_.came_from(sent_from(socket))) serve::stay_on({&*processor, 1});
  }

  void reopen(std::size_t i) {
    free_.erase(std::remove(free_.begin(), free_.end(), i), free_.end());
    ::close(connections_[i].socket);
    open(i);
  }

  void finish(const Connection& connection, int status) {
    const float ms = static_cast<float>(now() - connection.task.due) / 1e6F;
    if (status != 200) {
      ++report_.errors;
      if (status == 429) ++report_.refused, refusals_.push_back(ms);
      else if (report_.first_error.empty()) report_.first_error = said(connection.in, status);
      return;
    }
    const auto second = static_cast<std::size_t>((connection.task.due - start_) / 1'000'000'000);
    if (second >= by_second_.size()) by_second_.resize(second + 1);
    by_second_[second].push_back(ms);
    ++(connection.task.reward ? report_.rewards : report_.decisions);
    if (connection.task.reward) return;
    const auto id = connection.in.find("\"event_id\":\"");
    if (id == std::string::npos || events_.size() > 10000) return;
    events_.push_back(connection.in.substr(id + 12, connection.in.find('"', id + 12) - id - 12));
  }

  static std::string said(const std::string& answer, int status) {
    constexpr std::size_t shown = 300;
    return fmt::format("{}: {}", status, answer.substr(answer.find("\r\n\r\n") + 4, shown));
  }

  void report_latencies() {
    std::vector<float> all;
    for (auto& second : by_second_) {
      report_.p99_by_second_ms.push_back(quantile(second, 0.99));
      all.insert(all.end(), second.begin(), second.end());
    }
    report_.p50_ms = quantile(all, 0.5);
    report_.p99_ms = quantile(all, 0.99);
    report_.p999_ms = quantile(all, 0.999);
    report_.refused_p99_ms = quantile(refusals_, 0.99);
  }

  static double quantile(std::vector<float>& values, double share) {
    if (values.empty()) return 0;
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  }

  LoadOptions options_;
  Address address_;
  Stream random_;
  int poll_ = -1;
  std::vector<Connection> connections_;
  std::deque<std::size_t> free_;  // in turn: one that is never used is closed by the service
  std::vector<std::string> requests_;
  std::size_t sent_ = 0;
  bool ticking_ = false;
  std::deque<Task> due_;
  std::deque<std::string> events_;
  Time start_ = 0;
  std::vector<std::vector<float>> by_second_;  // milliseconds
  std::vector<float> refusals_;
  LoadReport report_;
  const std::vector<int> processors_ = serve::usable_processors();
  serve::BesideAnswers place_{processors_};
};

}  // namespace

LoadReport run_load(const LoadOptions& options) {
  if (!(options.rate > 0) || !(options.seconds > 0) || options.connections == 0)
    throw Error(ErrorCode::bad_spec, "load", "rate, seconds and connections are above 0");
  if (options.actions == 0 || (options.length == 0 && !options.objects))
    throw Error(ErrorCode::bad_spec, "load", "a decision has an action at least, and a vector a number");
  return Load(options).run();
}

}  // namespace neuralts
