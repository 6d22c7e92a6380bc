// A PostgreSQL server for the tests: in a temporary folder, on a port of the loopback, as an ordinary user, a
// child that is waited for.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace neuralts::serve {

class PostgresServer {
 public:
  /// Where `initdb` and `postgres` are: NEURALTS_POSTGRES, or the newest that is installed; nothing: none is.
  static std::optional<std::string> programs();

  /// Makes a cluster and starts it.
  PostgresServer();
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;

  std::string address() const;   ///< postgres://...
  void start();
  void stop();                   ///< in good order
  void kill();                   ///< the server and everything it has started, at once
  double processor_seconds() const;  ///< of those that run now

 private:
  std::string folder_;
  std::uint16_t port_ = 0;
  pid_t process_ = -1;
};

}  // namespace neuralts::serve
