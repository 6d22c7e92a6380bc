#include <fmt/format.h>

#include "serve/http/certificate.hpp"
#include "serve/http/event_loop.hpp"

namespace neuralts::serve {

using boost::asio::ip::tcp;

struct HttpServer::State {
  State(const HttpOptions& options, Handler handler, std::function<void(int)> on_answer,
        std::shared_ptr<const Placement> placement)
      : shared{.options = options,
               .handler = std::move(handler),
               .on_answer = std::move(on_answer),
               .census = {options.connections_max, options.connections_per_address_max},
               .draining = false,
               .tls_mutex = {},
               .tls = nullptr,
               .placement = placement ? std::move(placement) : std::make_shared<const Placement>(options.threads)} {}
  HttpShared shared;
  std::vector<std::unique_ptr<EventLoop>> loops;  // the first one listens, and ends first
  std::uint16_t port = 0;
};

HttpServer::HttpServer(const HttpOptions& options, Handler handler, std::function<void(int)> on_answer,
                       std::shared_ptr<const Placement> placement)
    : state_(std::make_unique<State>(options, std::move(handler), std::move(on_answer), std::move(placement))) {
  state_->shared.tls = load_certificate(options.certificate, options.key);
  const std::string where = fmt::format("{}:{}", options.address, options.port);
  boost::system::error_code problem;
  const auto address = boost::asio::ip::make_address(options.address, problem);
  if (problem) throw Error(ErrorCode::bad_spec, where, "this is no address", "use a number like 127.0.0.1 or ::1");
  for (std::size_t i = 0; i < std::max<std::size_t>(1, options.threads); ++i)
    state_->loops.push_back(std::make_unique<EventLoop>(state_->shared, i));
  EventLoop& first = *state_->loops.front();
  first.listen({address, options.port}, where);
  state_->port = first.acceptor.local_endpoint().port();
}

HttpServer::~HttpServer() { stop(); }
std::uint16_t HttpServer::port() const { return state_->port; }

void HttpServer::start() {
  std::vector<EventLoop*> all;
  for (auto& loop : state_->loops) all.push_back(loop.get());
  for (EventLoop* loop : all) loop->start(all);
}

void HttpServer::flush() {
  for (auto& loop : state_->loops) loop->flush();
}

void HttpServer::drain(double limit_seconds) {
  using Ticks = std::chrono::steady_clock;
  state_->shared.draining = true;
  for (auto& loop : state_->loops) loop->close_idle();
  const auto end = Ticks::now() +
                   std::chrono::duration_cast<Ticks::duration>(std::chrono::duration<double>(limit_seconds));
  while (state_->shared.census.all() > 0 && Ticks::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void HttpServer::stop() {
  for (auto& loop : state_->loops) loop->stop();
}

void HttpServer::reload_certificate() {
  auto fresh = load_certificate(state_->shared.options.certificate, state_->shared.options.key);
  const std::lock_guard lock(state_->shared.tls_mutex);
  state_->shared.tls = std::move(fresh);
}

}  // namespace neuralts::serve
