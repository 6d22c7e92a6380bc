// A service with its folder, its door and its threads: what `neuralts serve` runs.
#pragma once

#include <atomic>
#include <thread>

#include "serve/folder_lock.hpp"
#include "serve/http.hpp"
#include "serve/journal/sqlite_journal.hpp"
#include "serve/node/node.hpp"
#include "serve/place_watch.hpp"
#include "serve/placement.hpp"

namespace neuralts::serve {

struct ServerOptions {
  std::string folder = "neuralts-service";
  HttpOptions http;
  ServiceOptions service;
  SqliteOptions journal;
  NodeOptions node;                       ///< without an address: this process is alone
  Log::Sink log;                          ///< lines for whoever runs it
};

class Server {
 public:
  /// Opens the journal, loads loops and models, listens and serves. Throws Error: nothing is running then.
  explicit Server(const ServerOptions& options);
  /// Stops in good order.
  ~Server();

  std::uint16_t port() const { return http_->port(); }
  /// Answers what was asked, commits what was taken, checkpoints. At most about ten seconds.
  void stop();
  /// Tokens and certificates as they are on disk now. Problems are logged, and the old ones stay.
  void reload();
  Service& service() { return *service_; }

 private:
  struct Learning {
    std::shared_ptr<LoopRuntime> runtime;
    std::jthread thread;
  };
  void commit_until_stopped(const std::stop_token& stop);
  void learn_until_stopped(LoopRuntime& runtime, const std::stop_token& stop);

  ServerOptions options_;
  const std::shared_ptr<const Placement> placement_;
  SystemClock clock_;
  SystemEntropy entropy_;
  Log log_;
  FolderLock lock_;
  SqliteJournal own_journal_;
  std::unique_ptr<Node> node_;             // nothing: this process is alone
  Journal& journal_;
  std::unique_ptr<Service> service_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<HttpServer> http_;
  std::jthread committing_;
  std::mutex learning_mutex_;
  std::vector<Learning> learning_;
  bool stopped_ = false;
  std::thread background_;                 // one piece of slow work at a time
};

}  // namespace neuralts::serve
