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

/// Connections at once.
constexpr std::size_t accepted_max = 64;

/// Reads and the like before a turn of work: more, and those who were let in wait for those who are refused.
constexpr std::size_t steps_max = 150;

thread_local EventLoop* here = nullptr;

}  // namespace

bool EventLoop::is_here() const { return here == this; }

void EventLoop::listen(const tcp::endpoint& endpoint, const std::string& where) {
  error_code problem;
  acceptor.open(endpoint.protocol(), problem);
  if (!problem) acceptor.set_option(tcp::acceptor::reuse_address(true), problem);
  if (!problem) acceptor.bind(endpoint, problem);
  if (!problem) acceptor.listen(4096, problem);
  if (!problem) acceptor.non_blocking(true, problem);
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
    run();
  });
}

/// What has come is read before the next turn of work: what is too much is refused soon. Where it cannot all be read
/// the turn is short: to refuse takes less time than to do, but has to keep up with all that comes.
void EventLoop::run() {
  const auto guard = asio::make_work_guard(io);
  while (!io.stopped()) {
    std::size_t left = steps_max;
    while (left > 0 && io.poll_one() > 0) --left;
    if (queue_.empty())
      io.run_one();
    else
      queue_.take_turn(left > 0 ? turn_max : short_turn_max, [](HttpConnection& connection) { connection.work(); });
  }
}

void EventLoop::stop() {
  io.stop();
  if (thread_.joinable()) thread_.join();
}

/// All that have come, as far as others need not wait for it.
void EventLoop::accept() {
  acceptor.async_wait(tcp::acceptor::wait_read, [this](error_code problem) {
    for (std::size_t left = accepted_max; acceptor.is_open() && left > 0; --left) {
      EventLoop& taker = *takers_[next_taker_ % takers_.size()];
      LoopSocket socket = acceptor.accept(taker.io, problem);
      if (problem == asio::error::would_block) break;
      if (problem) return pause_accepting();
      ++next_taker_;
      if (&taker == this)
        take(std::move(socket));
      else
        asio::post(taker.io, [&taker, taken = std::move(socket)]() mutable { taker.take(std::move(taken)); });
    }
    if (acceptor.is_open()) accept();
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
