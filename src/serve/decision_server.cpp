// The public face of the service.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "neuralts/serve.hpp"
#include "serve/listen_address.hpp"
#include "serve/server.hpp"

namespace neuralts {

namespace {

std::size_t threads_of(const ServeOptions& options) {
  if (options.threads > 0) return options.threads;
  return std::max(1U, std::thread::hardware_concurrency() / 2);
}

serve::ServerOptions server_options(const ServeOptions& options) {
  const serve::ListenAddress place = serve::listen_address(options.listen);
  serve::ServerOptions out;
  out.folder = options.folder;
  out.http = {.address = place.address,
              .port = place.port,
              .threads = threads_of(options),
              .certificate = options.certificate,
              .key = options.key,
              .body_max = options.body_bytes_max,
              .header_max = options.header_bytes_max,
              .connections_max = options.connections_max,
              .connections_per_address_max = options.connections_per_address_max,
              .in_flight_max = options.pending_max,
              .header_seconds = options.header_seconds,
              .body_seconds = options.body_seconds,
              .idle_seconds = options.idle_seconds};
  out.service.body.actions_max = options.actions_max;
  out.service.body.vector_max = options.vector_max;
  out.service.body.batch_max = options.batch_max;
  out.service.loops_max = options.loops_max;
  out.service.pending_max = options.pending_max;
  out.service.tokens = options.tokens;
  const bool written = options.acknowledge == Acknowledge::written;
  out.service.acknowledged = written ? "written" : "durable";
  out.service.default_loop = serve::loop_config_from_json(options.default_loop);
  out.journal.sync = written ? serve::Sync::normal : serve::Sync::full;
  out.journal.segment_bytes_max = options.segment_bytes_max;
  out.journal.segment_us_max = static_cast<std::int64_t>(options.segment_hours_max * 3.6e9);
  out.node = {.address = options.journal,
              .name = options.node,
              .answer_after_spool = options.acknowledge != Acknowledge::shared,
              .synchronous = !written};
  out.log = options.log;
  return out;
}

}  // namespace

std::string add_serve_token(const std::string& file, const std::string& roles, const std::string& name) {
  serve::SystemEntropy entropy;
  return serve::Access::add_token(file, roles, name, entropy.bits64(), entropy.bits64(), entropy.bits64(),
                                  entropy.bits64());
}

struct DecisionServer::State {
  explicit State(const ServeOptions& options) : server(server_options(options)) {}
  serve::Server server;
  std::string address;
};

DecisionServer::DecisionServer(const ServeOptions& options) {
  check_serve_options(options);
  state_ = std::make_unique<State>(options);
  const serve::ListenAddress place = serve::listen_address(options.listen);
  const bool six = place.address.find(':') != std::string::npos;
  state_->address = fmt::format("{}://{}{}{}:{}", options.certificate.empty() ? "http" : "https",
                                six ? "[" : "", place.address, six ? "]" : "", state_->server.port());
}

DecisionServer::~DecisionServer() = default;
std::string DecisionServer::address() const { return state_->address; }
void DecisionServer::reload() { state_->server.reload(); }
void DecisionServer::stop() { state_->server.stop(); }

}  // namespace neuralts
