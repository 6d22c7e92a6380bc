// The public face of the service.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "neuralts/serve.hpp"
#include "base/whole_number.hpp"
#include "serve/problem.hpp"
#include "serve/journal/shared_door.hpp"
#include "serve/server.hpp"

namespace neuralts {

namespace {

constexpr std::size_t threads_max = 256;

struct Place {
  std::string address;
  std::uint16_t port = 0;
};

Place place_of(const std::string& listen) {
  const auto colon = listen.rfind(':');
  const std::string text = colon == std::string::npos ? "" : listen.substr(colon + 1);
  const auto port = parse_whole<std::uint16_t>(text);
  if (!port)
    throw Error(ErrorCode::bad_spec, "listen", "'" + listen + "' is not ADDRESS:PORT, ports from 0 to 65535",
                "for example 127.0.0.1:8080 or [::1]:8080");
  Place place{.address = listen.substr(0, colon), .port = *port};
  if (place.address.starts_with('[') && place.address.ends_with(']'))
    place.address = place.address.substr(1, place.address.size() - 2);
  if (place.address == "localhost") place.address = "127.0.0.1";
  return place;
}

bool loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

std::size_t threads_of(const ServeOptions& options) {
  if (options.threads > 0) return options.threads;
  return std::max(1U, std::thread::hardware_concurrency() / 2);
}

serve::ServerOptions server_options(const ServeOptions& options) {
  const Place place = place_of(options.listen);
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

void check_serve_options(const ServeOptions& options) {
  const Place place = place_of(options.listen);
  if (options.threads > threads_max)
    throw Error(ErrorCode::bad_spec, "threads", std::to_string(options.threads) + " event loops are too many",
                "one for each processor is plenty, and " + std::to_string(threads_max) + " the most");
  if (options.certificate.empty() != options.key.empty())
    throw Error(ErrorCode::bad_spec, "tls", "a certificate needs its key, and a key its certificate");
  for (const std::string* file : {&options.certificate, &options.key, &options.tokens})
    if (!file->empty() && !std::filesystem::exists(*file))
      throw Error(ErrorCode::bad_spec, *file, "there is no such file");
  if (!loopback(place.address) && options.tokens.empty() && options.certificate.empty() && !options.open)
    throw Error(ErrorCode::bad_spec, "listen", options.listen + " can be reached from other machines",
                "give --tokens FILE or --certificate and --key, or say --open");
  if (!options.journal.empty() && !serve::is_shared_address(options.journal))
    throw Error(ErrorCode::bad_spec, "journal", "not an address of a shared journal",
                "postgres://USER@HOST:PORT/DATABASE");
  if (options.journal.empty() && options.acknowledge == Acknowledge::shared)
    throw Error(ErrorCode::bad_spec, "acknowledge", "'shared' needs a shared journal",
                "give --journal postgres://...");
  if (!options.journal.empty() && options.node.empty())
    throw Error(ErrorCode::bad_spec, "node", "a node among several needs a name", "give --node NAME");
  try {
    serve::loop_config_from_json(options.default_loop);
  } catch (const serve::Problem& problem) {
    throw Error(ErrorCode::bad_spec, "loop default: " + problem.field(), problem.what());
  }
}

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
  const Place place = place_of(options.listen);
  const bool six = place.address.find(':') != std::string::npos;
  state_->address = fmt::format("{}://{}{}{}:{}", options.certificate.empty() ? "http" : "https",
                                six ? "[" : "", place.address, six ? "]" : "", state_->server.port());
}

DecisionServer::~DecisionServer() = default;
std::string DecisionServer::address() const { return state_->address; }
void DecisionServer::reload() { state_->server.reload(); }
void DecisionServer::stop() { state_->server.stop(); }

}  // namespace neuralts
