// The one file that compiles Beast's parser.
#include "serve/http/event_loop.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "serve/http/refusing.hpp"
#include "serve/http/session.hpp"
#include "serve/thread_role.hpp"

namespace neuralts::serve {

namespace {

/// How often deadlines are looked at: a timer for each read and write would cost more than the read.
constexpr auto sweep_pause = std::chrono::milliseconds(200);

/// After a connection that could not be accepted.
constexpr auto accept_pause = std::chrono::milliseconds(20);

thread_local EventLoop* here = nullptr;

}  // namespace

bool EventLoop::is_here() const { return here == this; }

void EventLoop::listen(const tcp::endpoint& endpoint, const std::string& where) {
  error_code problem;
  acceptor.open(endpoint.protocol(), problem);
  if (!problem) acceptor.set_option(tcp::acceptor::reuse_address(true), problem);
  if (!problem) acceptor.bind(endpoint, problem);
  if (!problem) acceptor.listen(4096, problem);
  if (problem) throw Error(ErrorCode::io, where, problem.message(), "choose another with --listen ADDRESS:PORT");
}

void EventLoop::start(std::vector<EventLoop*> takers) {
  takers_ = std::move(takers);
  if (acceptor.is_open()) accept();
  sweep();
  thread_ = std::thread([this] {
    here = this;
    name_thread("door");
    take_turns(Turn::short_while);
    watch_.look();
    const auto guard = asio::make_work_guard(io);
    io.run();
  });
}

void EventLoop::stop() {
  io.stop();
  if (thread_.joinable()) thread_.join();
}

void EventLoop::accept() {
  EventLoop& taker = *takers_[next_taker_++ % takers_.size()];
  acceptor.async_accept(taker.io, [this, &taker](error_code problem, LoopSocket socket) {
    if (!acceptor.is_open()) return;
    if (problem) return pause_accepting();
    if (&taker == this)
      take(std::move(socket));
    else
      asio::post(taker.io, [&taker, taken = std::move(socket)]() mutable { taker.take(std::move(taken)); });
    accept();
  });
}

/// Out of descriptors, perhaps: asking again at once would only keep the processor busy.
void EventLoop::pause_accepting() {
  resting_.expires_after(accept_pause);
  resting_.async_wait([this](error_code problem) {
    if (!problem && acceptor.is_open()) accept();
  });
}

void EventLoop::take(LoopSocket socket) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  const std::string address = socket.remote_endpoint(ignored).address().to_string();
  if (!shared.census.enter(address)) return refuse(std::move(socket));
  std::shared_ptr<asio::ssl::context> tls;
  {
    const std::lock_guard lock(shared.tls_mutex);
    tls = shared.tls;
  }
  std::shared_ptr<HttpConnection> connection;
  if (tls)
    connection = std::make_shared<Session<TlsStream>>(*this, TlsStream(std::move(socket), *tls), address, tls);
  else
    connection = std::make_shared<Session<PlainStream>>(*this, std::move(socket), address, nullptr);
  connection->start();
}

bool EventLoop::swamped() const {
  if (waiting_.size() >= shared.options.in_flight_max) return true;
  // Few cannot have asked for much.
  return connections.size() > few_connections && queue_.expected_wait() > wait_max;
}

void EventLoop::enqueue(std::shared_ptr<HttpConnection> connection) {
  const bool first = queue_.empty();
  queue_.push(std::move(connection));
  if (first) post_turn();
}

/// Behind what is ready to be read.
void EventLoop::post_turn() {
  asio::post(io, [this] {
    queue_.take_turn(turn_max, [](HttpConnection& connection) { connection.work(); });
    if (!queue_.empty()) post_turn();
  });
}

void EventLoop::refuse(LoopSocket socket) {
  const bool plain = shared.options.certificate.empty();
  if (plain && refusing < Refusing::at_once_max) std::make_shared<Refusing>(*this, std::move(socket))->start();
}

void EventLoop::sweep() {
  const auto now = std::chrono::steady_clock::now();
  for (HttpConnection* connection : connections)
    if (connection->deadline() < now) connection->close();  // it signs off later, when its reads have come back
  sweeper_.expires_after(sweep_pause);
  sweeper_.async_wait([this](error_code problem) {
    if (problem) return;
    watch_.look();
    sweep();
  });
}

// A connection stays in the waiting room until it is answered: it is there for whoever answers.
void EventLoop::answer(HttpConnection& connection, Ticket ticket, Answer&& answer) {
  if (is_here()) {
    if (const auto waiting = waiting_.leave(ticket)) waiting->respond(std::move(answer));
    return;
  }
  const Early gone = connection.respond_early(answer);
  const std::lock_guard lock(mail_mutex_);
  mail_.push_back({ticket, std::move(answer), gone});
}

void EventLoop::flush() {
  {
    const std::lock_guard lock(mail_mutex_);
    if (mail_.empty()) return;
  }
  asio::post(io, [this] {
    {
      const std::lock_guard lock(mail_mutex_);
      sending_.swap(mail_);
    }
    for (auto& [ticket, answer, gone] : sending_)
      if (const auto waiting = waiting_.leave(ticket)) waiting->respond_further(gone, std::move(answer));
    sending_.clear();
  });
}

void EventLoop::close_idle() {
  asio::post(io, [this] {
    error_code ignored;
    acceptor.close(ignored);
    for (HttpConnection* connection : connections)
      if (connection->idle()) connection->close();
  });
}

}  // namespace neuralts::serve
