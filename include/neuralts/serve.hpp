// The decision service inside a program: what `neuralts serve` runs.
//
//   neuralts::DecisionServer server({.folder = "service", .listen = "127.0.0.1:0"});
//   server.address();                                  // "http://127.0.0.1:41234"
//   server.stop();                                     // answers, commits, checkpoints
//
// Link neuralts::serve. The calls that it answers are in doc/service.md and at /openapi.json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "neuralts/error.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

/// How an answer is acknowledged.
enum class Acknowledge {
  durable,  ///< after it is synced to the disk: survives power loss
  written,  ///< after it is handed to the operating system: survives the death of the process
  shared,   ///< after the shared journal's commit: survives the loss of this machine; needs ServeOptions::journal
};

struct ServeOptions {
  std::string folder = "neuralts-service";       ///< journal, models and checkpoints; made when it is not there
  /// Postgres://...: shared by several nodes; empty: this process is alone.
  std::string journal = {};
  std::string node = {};                         ///< this node's name among them, the same after a restart
  std::string listen = "127.0.0.1:8080";         ///< ADDRESS:PORT or [ADDRESS]:PORT; port 0 takes a free one
  std::size_t threads = 0;                       ///< event loops; 0: half of the processors, at least one
  Acknowledge acknowledge = Acknowledge::durable;
  std::string tokens = {};                       ///< file of tokens; empty: none is asked for
  std::string certificate = {}, key = {};        ///< PEM files: TLS; empty: none
  bool open = false;                             ///< listen beyond this machine without token and TLS
  /// Configuration of the loop `default`, JSON, for a folder that has no loop yet.
  std::string default_loop = "{}";

  // Limits; what is beyond is refused with an answer that says so.
  std::size_t body_bytes_max = std::size_t{1} << 20, header_bytes_max = 8192;
  std::size_t actions_max = 1000, vector_max = 8192, batch_max = 256, loops_max = 64;
  std::size_t connections_max = 4096, connections_per_address_max = 256;
  std::size_t pending_max = 2048;                ///< records that wait for the disk
  double header_seconds = 5, body_seconds = 10, idle_seconds = 60;
  std::uint64_t segment_bytes_max = std::uint64_t{1} << 30;
  double segment_hours_max = 24;

  std::function<void(const std::string& line)> log = {};  ///< gets one JSON object per line, from any thread
};

/// Reads a TOML file over `base` (keys: doc/service.md). Throws Error(bad_input), naming line or key.
ServeOptions read_serve_options(const std::string& path, const ServeOptions& base = {});
/// Everything that can be known without starting. Throws Error(bad_spec).
void check_serve_options(const ServeOptions& options);
/// A new token for `roles` ("decide+reward", "admin", ...), its hash appended to the file: the only time it is
/// seen.
std::string add_serve_token(const std::string& file, const std::string& roles, const std::string& name);

/// Runs from construction to stop(). Any thread.
class DecisionServer {
 public:
  /// Throws Error: the folder is used by another service, the address is taken, a file cannot be read.
  explicit DecisionServer(const ServeOptions& options);
  ~DecisionServer();
  std::string address() const;   ///< "http://127.0.0.1:8080"
  void reload();                 ///< tokens and certificate, as they are on disk now
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What a loop has learned, found in two ways.
struct ReplayReport {
  std::string loop;
  std::uint64_t learned = 0;   ///< rounds
  /// The checkpoint, continued, and a replay of the whole journal learned the same bytes.
  bool same = false;
  std::string sha256;          ///< of the replay's
};
/// Checks every loop of a folder whose service does not run, or of a shared journal. Throws Error.
std::vector<ReplayReport> replay_service(const std::string& folder, const std::string& journal = "");

class EventSource;
/// The folder holds a service's journal.
bool is_service_folder(const std::string& folder);
/// The events of a loop with their rewards, as evaluate() and tune() read them (neuralts/evaluate.hpp); a
/// service may run in the folder meanwhile. `loop` may be empty where only one has decided anything. Throws
/// Error(not_found | bad_spec | io).
std::unique_ptr<EventSource> service_events(const std::string& folder, const std::string& loop = "");

/// An open-loop client: requests are sent when they are due, whether or not earlier ones were answered, and
/// their latency counts from the moment they were due.
struct LoadOptions {
  std::string url = "http://127.0.0.1:8080";  ///< http only
  std::string loop = "default", token{};
  double rate = 1000;              ///< decisions per second
  double reward_share = 0.25;      ///< rewards per decision
  double seconds = 10;
  std::size_t connections = 64;
  std::size_t actions = 10, length = 20;
  bool objects = false;            ///< JSON objects with `length` features instead of vectors
};

struct LoadReport {
  std::uint64_t decisions = 0, rewards = 0;  ///< answered with 200
  std::uint64_t errors = 0;                  ///< anything else: other statuses, broken connections, no answer
  std::uint64_t refused = 0;                 ///< of those, 429
  std::string first_error;                   ///< what the service said, but for 429; empty: nothing
  double rate = 0;                           ///< answered decisions per second
  double p50_ms = 0, p99_ms = 0, p999_ms = 0;
  double refused_p99_ms = 0;
  double seconds = 0;
  std::vector<double> p99_by_second_ms;      ///< of what was due in each: one stall, or slow all the time?
};

/// Throws Error(io) when the address cannot be reached.
LoadReport run_load(const LoadOptions& options);

}  // namespace neuralts
#pragma GCC visibility pop
