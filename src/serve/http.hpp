// The door: HTTP/1.1 with or without TLS, one event loop per thread. Boost.Beast stays behind it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "serve/placement.hpp"
#include "serve/service.hpp"

namespace neuralts::serve {

struct HttpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;               ///< 0: a free one
  std::size_t threads = 1;
  std::string certificate = {}, key = {};  ///< PEM files; both or none
  std::size_t body_max = std::size_t{1} << 20;
  std::size_t header_max = 8192;
  std::size_t connections_max = 4096;
  std::size_t connections_per_address_max = 256;
  /// Requests of one thread that wait for their answer; more are answered 429 at once.
  std::size_t in_flight_max = 1024;
  double header_seconds = 5, body_seconds = 10, idle_seconds = 60;
};

class HttpServer {
 public:
  /// Handles a request on thread `worker`. The reply may be called from any thread, now or later.
  using Handler = std::function<void(const Request& request, std::size_t worker, Reply reply)>;

  /// Listens at once; requests wait until start(). Throws Error(io) naming the address. `placement`: that of the
  /// service's other threads, where there are any.
  HttpServer(const HttpOptions& options, Handler handler, std::function<void(int status)> on_answer,
             std::shared_ptr<const Placement> placement = nullptr);
  ~HttpServer();

  std::uint16_t port() const;
  void start();
  /// Sends what replies from other threads have collected since the last call: one wake-up for many.
  void flush();
  /// Takes no new connection, closes idle ones, answers what was asked, returns when that is done or `seconds`
  /// have passed.
  void drain(double seconds);
  /// Ends the threads.
  void stop();
  /// New connections get the certificate that is on disk now. Throws Error, and then keeps the old one.
  void reload_certificate();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace neuralts::serve
