// One thread's connections: who they are, when they have to be done, and the answers that other threads have
// for them.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "serve/http.hpp"
#include "serve/http/census.hpp"
#include "serve/http/connection.hpp"
#include "serve/http/waiting_room.hpp"
#include "serve/http/work_queue.hpp"
#include "serve/place_watch.hpp"
#include "serve/placement.hpp"

namespace neuralts::serve {

/// What all loops of a server have in common.
struct HttpShared {
  HttpOptions options;
  HttpServer::Handler handler;
  std::function<void(int)> on_answer;
  Census census;
  std::atomic<bool> draining{false};
  std::mutex tls_mutex;
  std::shared_ptr<boost::asio::ssl::context> tls;  // of new connections
  std::shared_ptr<const Placement> placement;
};

// The executor is named: Asio's own default costs allocations and indirect calls with every operation.
using LoopExecutor = boost::asio::io_context::executor_type;
using LoopSocket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, LoopExecutor>;
using LoopAcceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, LoopExecutor>;

class EventLoop {
 public:
  /// A request that would wait for longer is refused, once there are more than a few connections.
  static constexpr std::chrono::milliseconds wait_max{2};
  static constexpr std::size_t few_connections = 64;
  /// Then whatever has come meanwhile is read, before the next request is worked on.
  static constexpr std::chrono::microseconds turn_max{250}, short_turn_max{60};

  EventLoop(HttpShared& shared_state, std::size_t number)
      : shared(shared_state), worker(number), io(1), acceptor(io), sweeper_(io), resting_(io) {}

  /// One loop of a service listens: nobody else can then have the port, another service no more than another
  /// program. Throws Error(io).
  void listen(const boost::asio::ip::tcp::endpoint& endpoint, const std::string& where);
  /// Connections go to `takers` in turn, where this loop listens; they outlive its thread.
  void start(std::vector<EventLoop*> takers);
  /// The loop's thread: a connection that waits for its answer, and what others call it.
  Ticket wait_for_answer(std::shared_ptr<HttpConnection> connection) {
    return waiting_.enter(std::move(connection));
  }
  /// Any thread, once per ticket, which is that of the connection: sent at once, as far as the caller takes it; from
  /// another thread than the loop's the rest follows with the next flush(), and only then the next request is read.
  void answer(HttpConnection& connection, Ticket ticket, Answer&& answer);
  /// Any thread: the connections that were answered go on.
  void flush();
  /// Any thread: no new connection, and the idle ones are closed.
  void close_idle();
  void stop();
  /// More has come than can be done in time: a request that comes now should be refused. The loop's thread.
  bool swamped() const;
  /// A connection whose request has been read: it is worked on when its turn comes. The loop's thread.
  void enqueue(std::shared_ptr<HttpConnection> connection) { queue_.push(std::move(connection)); }

  HttpShared& shared;
  const std::size_t worker;
  std::set<HttpConnection*> connections;  // before `io`: connections that end with it sign off here
  std::size_t refusing = 0;           // of them those that there was no room for
  boost::asio::io_context io;
  LoopAcceptor acceptor;

 private:
  struct Mail {
    Ticket ticket;
    Answer answer;
    Early gone;
  };
  bool is_here() const;
  void run();
  void accept();
  void pause_accepting();
  void take(LoopSocket socket);
  void refuse(LoopSocket socket);
  void sweep();

  WaitingRoom waiting_;  // after `io`: what waits ends before it
  WorkQueue queue_;
  boost::asio::steady_timer sweeper_, resting_;
  std::vector<EventLoop*> takers_;
  std::size_t next_taker_ = 0;
  PlaceWatch watch_{{.take = [this] { return shared.placement->door(worker); },
                     .leave = [this] { shared.placement->anywhere(); },
                     .change = [this] { return shared.placement->exchange(); },
                     .changes = [this] { return shared.placement->exchanges(); }}};
  std::thread thread_;
  std::mutex mail_mutex_;
  std::vector<Mail> mail_;
  std::vector<Mail> sending_;  // the loop's thread
};

}  // namespace neuralts::serve
