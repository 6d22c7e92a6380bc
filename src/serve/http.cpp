#include "serve/http.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "serve/problem.hpp"

namespace neuralts::serve {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using boost::system::error_code;
using PlainStream = beast::tcp_stream;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

std::chrono::steady_clock::duration seconds(double value) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(value));
}

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::string token_of(const http::fields& fields) {
  const auto authorization = view(fields[http::field::authorization]);
  if (authorization.size() > 7 && (authorization.starts_with("Bearer ") || authorization.starts_with("bearer ")))
    return std::string(authorization.substr(7));
  return std::string(view(fields["Ocp-Apim-Subscription-Key"]));
}

std::string text_of(const Answer& answer, bool keep_alive, bool head_only) {
  std::string out;
  out.reserve(256 + answer.body.size());
  out += fmt::format("HTTP/1.1 {} {}\r\nContent-Length: {}\r\n", answer.status, reason(answer.status), answer.body.size());
  if (!answer.body.empty()) out += fmt::format("Content-Type: {}\r\n", answer.type);
  for (const auto& [name, value] : answer.headers) out += fmt::format("{}: {}\r\n", name, value);
  out += keep_alive ? "Cache-Control: no-store\r\n\r\n" : "Cache-Control: no-store\r\nConnection: close\r\n\r\n";
  if (!head_only) out += answer.body;
  return out;
}

/// Connections by address; any thread.
class Census {
 public:
  Census(std::size_t all, std::size_t each) : all_max_(all), each_max_(each) {}
  bool enter(const std::string& address) {
    const std::lock_guard lock(mutex_);
    if (all_ >= all_max_ || by_address_[address] >= each_max_) return false;
    ++all_, ++by_address_[address];
    return true;
  }
  void leave(const std::string& address) {
    const std::lock_guard lock(mutex_);
    --all_;
    if (--by_address_[address] == 0) by_address_.erase(address);
  }
  std::size_t all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  const std::size_t all_max_, each_max_;
  std::size_t all_ = 0;
  std::map<std::string, std::size_t> by_address_;
};

/// A connection as the loop knows it.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  virtual ~Connection() = default;
  virtual void start() = 0;
  virtual void respond(Answer&& answer) = 0;
  virtual void close_if_idle() = 0;
};

struct Shared {
  HttpOptions options;
  HttpServer::Handler handler;
  std::function<void(int)> on_answer;
  Census census;
  std::atomic<bool> draining{false};
  std::mutex tls_mutex;
  std::shared_ptr<asio::ssl::context> tls;  // of new connections
};

/// One thread's event loop with its connections and the answers that other threads have for them.
struct EventLoop {
  EventLoop(Shared& shared_state, std::size_t number) : shared(shared_state), worker(number), io(1), acceptor(io) {}
  Shared& shared;
  const std::size_t worker;
  std::set<Connection*> connections;  // before `io`: connections that end with it sign off here
  std::size_t in_flight = 0;
  std::mutex mail_mutex;
  asio::io_context io;
  tcp::acceptor acceptor;
  std::thread thread;
  std::vector<std::pair<std::shared_ptr<Connection>, Answer>> mail;

  void accept();
  void deliver(std::shared_ptr<Connection> connection, Answer&& answer);
  void flush();
};

thread_local EventLoop* here = nullptr;

template <class Stream>
class Session final : public Connection {
 public:
  Session(EventLoop& loop, Stream&& stream, std::string address, std::shared_ptr<asio::ssl::context> tls)
      : loop_(loop), tls_(std::move(tls)), stream_(std::move(stream)), address_(std::move(address)) {
    buffer_.reserve(32768);
    loop_.connections.insert(this);
  }
  ~Session() override {
    loop_.connections.erase(this);
    loop_.shared.census.leave(address_);
  }

  void start() override {
    deadline(loop_.shared.options.header_seconds);
    if constexpr (std::is_same_v<Stream, TlsStream>)
      stream_.async_handshake(asio::ssl::stream_base::server, [self = self()](error_code problem) {
        if (!problem) self->next_request(true);
      });
    else
      next_request(true);
  }

  void close_if_idle() override {
    if (idle_) close();
  }

  void respond(Answer&& answer) override {
    --loop_.in_flight;
    if (loop_.shared.on_answer) loop_.shared.on_answer(answer.status);
    const bool keep = keep_alive_ && !loop_.shared.draining;
    out_ = text_of(answer, keep, head_only_);
    deadline(loop_.shared.options.body_seconds);
    asio::async_write(stream_, asio::buffer(out_), [self = self(), keep](error_code problem, std::size_t) {
      if (problem) return self->close();
      if (keep) return self->next_request(false);
      if (!self->refused_) return self->close();
      self->deadline(1);
      self->read_rest(0);
    });
  }

 private:
  std::shared_ptr<Session> self() { return std::static_pointer_cast<Session>(shared_from_this()); }
  void deadline(double value) { beast::get_lowest_layer(stream_).expires_after(seconds(value)); }

  void next_request(bool first) {
    const HttpOptions& options = loop_.shared.options;
    parser_.emplace();
    parser_->eager(true);
    parser_->header_limit(static_cast<std::uint32_t>(options.header_max));
    parser_->body_limit(options.body_max);
    in_header_ = true;
    idle_ = buffer_.size() == 0;
    deadline(first || !idle_ ? options.header_seconds : options.idle_seconds);
    if (idle_)
      read_more();
    else
      parse();
  }

  void read_more() {
    stream_.async_read_some(buffer_.prepare(16384), [self = self()](error_code problem, std::size_t count) {
      if (problem) return self->close();
      self->buffer_.commit(count);
      if (self->idle_) self->deadline(self->loop_.shared.options.header_seconds);
      self->idle_ = false;
      self->parse();
    });
  }

  void parse() {
    error_code problem;
    while (!parser_->is_done()) {
      const std::size_t used = parser_->put(buffer_.data(), problem);
      buffer_.consume(used);
      if (problem == http::error::need_more) {
        if (in_header_ && parser_->is_header_done()) start_body();
        return read_more();
      }
      if (problem) return refuse(problem);
      if (in_header_ && parser_->is_header_done()) start_body();
      if (!parser_->is_done() && buffer_.size() == 0) return read_more();
    }
    handle();
  }

  void start_body() {
    in_header_ = false;
    if (parser_->is_done()) return;
    deadline(loop_.shared.options.body_seconds);
    if (view(parser_->get()[http::field::expect]) != "100-continue") return;
    static const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    error_code ignored;
    asio::write(stream_, asio::buffer(go_on), ignored);
  }

  /// What was refused is read to its end, or for a while: closing before would take the answer from the caller's hands.
  void read_rest(std::size_t seen) {
    if (seen > (std::size_t{16} << 20)) return close();
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(65536), [self = self(), seen](error_code problem, std::size_t count) {
      if (problem) return self->close();
      self->read_rest(seen + count);
    });
  }

  void refuse(const error_code& problem) {
    keep_alive_ = false;
    refused_ = true;
    ++loop_.in_flight;
    if (problem == http::error::body_limit)
      return respond(problem_answer(413, fmt::format("a body has at most {} bytes", loop_.shared.options.body_max)));
    if (problem == http::error::header_limit)
      return respond(problem_answer(431, fmt::format("a header has at most {} bytes", loop_.shared.options.header_max)));
    respond(problem_answer(400, "this is not HTTP/1.1"));
  }

  static Answer problem_answer(int status, const std::string& detail) {
    Answer answer{status, "application/problem+json", problem_json(Problem(status, "", detail)), {}};
    if (status == 429) answer.headers.emplace_back("Retry-After", "1");
    return answer;
  }

  void handle() {
    const auto& message = parser_->get();
    keep_alive_ = message.keep_alive();
    head_only_ = message.method() == http::verb::head;
    ++loop_.in_flight;
    beast::get_lowest_layer(stream_).expires_never();
    if (loop_.in_flight > loop_.shared.options.in_flight_max)
      return respond(problem_answer(429, "too many requests at once: try again in a second"));
    const std::string token = token_of(message);
    const Request request{view(message.method_string()), view(message.target()), message.body(),
                          view(message[http::field::content_type]), token};
    loop_.shared.handler(request, loop_.worker, [self = self()](Answer&& answer) {
      EventLoop& loop = self->loop_;
      if (here == &loop) return self->respond(std::move(answer));
      loop.deliver(self, std::move(answer));
    });
  }

  void close() {
    error_code ignored;
    auto& socket = beast::get_lowest_layer(stream_).socket();
    socket.shutdown(tcp::socket::shutdown_both, ignored);
    socket.close(ignored);
  }

  EventLoop& loop_;
  std::shared_ptr<asio::ssl::context> tls_;  // outlives the stream that uses it
  Stream stream_;
  const std::string address_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::string out_;
  bool in_header_ = true, idle_ = true, keep_alive_ = true, head_only_ = false, refused_ = false;
};

void EventLoop::accept() {
  acceptor.async_accept(io, [this](error_code problem, tcp::socket socket) {
    if (!acceptor.is_open()) return;
    if (!problem) {
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      const std::string address = socket.remote_endpoint(ignored).address().to_string();
      if (shared.census.enter(address)) {
        std::shared_ptr<asio::ssl::context> tls;
        {
          const std::lock_guard lock(shared.tls_mutex);
          tls = shared.tls;
        }
        std::shared_ptr<Connection> connection;
        if (tls)
          connection = std::make_shared<Session<TlsStream>>(*this, TlsStream(beast::tcp_stream(std::move(socket)), *tls), address, tls);
        else
          connection = std::make_shared<Session<PlainStream>>(*this, PlainStream(std::move(socket)), address, nullptr);
        connection->start();
      }
    }
    accept();
  });
}

void EventLoop::deliver(std::shared_ptr<Connection> connection, Answer&& answer) {
  const std::lock_guard lock(mail_mutex);
  mail.emplace_back(std::move(connection), std::move(answer));
}

void EventLoop::flush() {
  {
    const std::lock_guard lock(mail_mutex);
    if (mail.empty()) return;
  }
  asio::post(io, [this] {
    std::vector<std::pair<std::shared_ptr<Connection>, Answer>> ready;
    {
      const std::lock_guard lock(mail_mutex);
      ready.swap(mail);
    }
    for (auto& [connection, answer] : ready) connection->respond(std::move(answer));
  });
}

std::shared_ptr<asio::ssl::context> load_certificate(const HttpOptions& options) {
  if (options.certificate.empty()) return nullptr;
  auto tls = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  error_code problem;
  SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
  tls->use_certificate_chain_file(options.certificate, problem);
  if (problem) throw Error(ErrorCode::bad_input, options.certificate, problem.message(), "a PEM certificate chain is needed");
  tls->use_private_key_file(options.key, asio::ssl::context::pem, problem);
  if (problem) throw Error(ErrorCode::bad_input, options.key, problem.message(), "a PEM private key is needed");
  if (SSL_CTX_check_private_key(tls->native_handle()) != 1)
    throw Error(ErrorCode::bad_input, options.key, "does not belong to the certificate");
  return tls;
}

}  // namespace

struct HttpServer::State {
  State(const HttpOptions& options, Handler handler, std::function<void(int)> on_answer)
      : shared{options, std::move(handler), std::move(on_answer), {options.connections_max, options.connections_per_address_max}, false, {}, nullptr} {}
  Shared shared;
  std::vector<std::unique_ptr<EventLoop>> loops;
  std::uint16_t port = 0;
};

HttpServer::HttpServer(const HttpOptions& options, Handler handler, std::function<void(int)> on_answer)
    : state_(std::make_unique<State>(options, std::move(handler), std::move(on_answer))) {
  state_->shared.tls = load_certificate(options);
  const std::string where = fmt::format("{}:{}", options.address, options.port);
  error_code problem;
  const auto address = asio::ip::make_address(options.address, problem);
  if (problem) throw Error(ErrorCode::bad_spec, where, "this is no address", "use a number like 127.0.0.1 or ::1");
  tcp::endpoint endpoint(address, options.port);
  for (std::size_t i = 0; i < std::max<std::size_t>(1, options.threads); ++i) {
    auto& loop = *state_->loops.emplace_back(std::make_unique<EventLoop>(state_->shared, i));
    loop.acceptor.open(endpoint.protocol(), problem);
    if (!problem) loop.acceptor.set_option(tcp::acceptor::reuse_address(true), problem);
    // Only threads of one service share a port; with one thread nobody else can join it.
    if (!problem && options.threads > 1) loop.acceptor.set_option(ReusePort(true), problem);
    if (!problem) loop.acceptor.bind(endpoint, problem);
    if (!problem) loop.acceptor.listen(4096, problem);
    if (problem) throw Error(ErrorCode::io, where, problem.message(), "choose another with --listen ADDRESS:PORT");
    endpoint = loop.acceptor.local_endpoint();
  }
  state_->port = endpoint.port();
}

HttpServer::~HttpServer() { stop(); }
std::uint16_t HttpServer::port() const { return state_->port; }

void HttpServer::start() {
  for (auto& loop : state_->loops) {
    loop->accept();
    loop->thread = std::thread([&loop = *loop] {
      here = &loop;
      const auto guard = asio::make_work_guard(loop.io);
      loop.io.run();
    });
  }
}

void HttpServer::flush() {
  for (auto& loop : state_->loops) loop->flush();
}

void HttpServer::drain(double limit_seconds) {
  state_->shared.draining = true;
  for (auto& loop : state_->loops)
    asio::post(loop->io, [&loop = *loop] {
      error_code ignored;
      loop.acceptor.close(ignored);
      const std::vector<Connection*> all(loop.connections.begin(), loop.connections.end());
      for (Connection* connection : all) connection->close_if_idle();
    });
  const auto end = std::chrono::steady_clock::now() + seconds(limit_seconds);
  while (state_->shared.census.all() > 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void HttpServer::stop() {
  for (auto& loop : state_->loops) loop->io.stop();
  for (auto& loop : state_->loops)
    if (loop->thread.joinable()) loop->thread.join();
}

void HttpServer::reload_certificate() {
  auto fresh = load_certificate(state_->shared.options);
  const std::lock_guard lock(state_->shared.tls_mutex);
  state_->shared.tls = std::move(fresh);
}

}  // namespace neuralts::serve
