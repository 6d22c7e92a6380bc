// A connection that there is no room for: it is told so, and then closed.
#pragma once

#include <boost/asio/write.hpp>

#include "serve/http/event_loop.hpp"
#include "serve/http/wire_text.hpp"

namespace neuralts::serve {

/// Answers 429 to whatever is asked, reads what the caller has sent (closing before would take the answer from
/// its hands) for a second at most, and ends. Plain connections only: TLS would cost more than the refusal saves.
class Refusing final : public HttpConnection {
 public:
  using Socket = LoopSocket;
  using Code = boost::system::error_code;
  static constexpr std::size_t at_once_max = 256;  // of one loop; more are closed without a word

  Refusing(EventLoop& loop, Socket&& socket) : loop_(loop), socket_(std::move(socket)) {
    loop_.connections.insert(this);
    ++loop_.refusing;
  }
  ~Refusing() override {
    loop_.connections.erase(this);
    --loop_.refusing;
  }

  void start() override {
    deadline_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    write_wire_text(refusal(429, "too many connections: try again in a second"), false, false, out_);
    if (loop_.shared.on_answer) loop_.shared.on_answer(429);
    boost::asio::async_write(socket_, boost::asio::buffer(out_), [self = self()](Code problem, std::size_t) {
      if (problem) return self->close();
      Code ignored;
      self->socket_.shutdown(Socket::shutdown_send, ignored);
      self->read_rest();
    });
  }
  void work() override {}  // nothing is asked of the service
  void respond(Answer&&) override {}
  bool idle() const override { return true; }
  void close() override {
    Code ignored;
    socket_.close(ignored);
  }

 private:
  std::shared_ptr<Refusing> self() { return std::static_pointer_cast<Refusing>(shared_from_this()); }
  void read_rest() {
    socket_.async_read_some(boost::asio::buffer(rest_), [self = self()](Code problem, std::size_t) {
      if (problem) return self->close();
      self->read_rest();
    });
  }

  EventLoop& loop_;
  Socket socket_;
  std::string out_;
  char rest_[4096];
};

}  // namespace neuralts::serve
