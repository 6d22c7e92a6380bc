// What is wrong with a service's options, as far as it can be known without starting.
#include <filesystem>

#include "neuralts/serve.hpp"
#include "serve/journal/shared_door.hpp"
#include "serve/listen_address.hpp"
#include "serve/loop_config.hpp"
#include "serve/problem.hpp"

namespace neuralts {

namespace {

constexpr std::size_t threads_max = 256;

/// Also where the system cannot look: a name that is too long, a folder that is closed.
bool is_there(const std::string& path) {
  std::error_code why;
  return std::filesystem::exists(path, why);
}

}  // namespace

void check_serve_options(const ServeOptions& options) {
  const serve::ListenAddress place = serve::listen_address(options.listen);
  if (options.threads > threads_max)
    throw Error(ErrorCode::bad_spec, "threads", std::to_string(options.threads) + " event loops are too many",
                "one for each processor is plenty, and " + std::to_string(threads_max) + " the most");
  if (options.certificate.empty() != options.key.empty())
    throw Error(ErrorCode::bad_spec, "tls", "a certificate needs its key, and a key its certificate");
  for (const std::string* file : {&options.certificate, &options.key, &options.tokens})
    if (!file->empty() && !is_there(*file)) throw Error(ErrorCode::bad_spec, *file, "there is no such file");
  if (!place.loopback() && options.tokens.empty() && options.certificate.empty() && !options.open)
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

}  // namespace neuralts
