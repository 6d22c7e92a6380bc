// libpq's door: a connection whose statements travel in pipelines and whose every wait has an end.
//
//   connection.queue("SELECT next FROM head WHERE loop = $1", Parameters().number(loop));
//   connection.queue("COMMIT");
//   const auto tables = connection.run();             // one per queued statement
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "serve/journal/journal.hpp"

struct pg_conn;
struct pg_result;

namespace neuralts::serve {

/// Values of a statement's $1, $2, ... in the protocol's binary form.
class Parameters {
 public:
  Parameters& number(std::int64_t value);     ///< bigint
  Parameters& bytes(std::string_view value);  ///< bytea
  Parameters& text(std::string_view value);
  Parameters& numbers(const std::vector<std::int64_t>& values);    ///< bigint[]
  Parameters& texts(const std::vector<std::string_view>& values);  ///< bytea[]

  const std::vector<std::string>& values() const { return values_; }
  const std::vector<unsigned>& types() const { return types_; }

 private:
  Parameters& add(unsigned type, std::string value);
  std::vector<std::string> values_;
  std::vector<unsigned> types_;
};

/// The rows of one statement. Columns are bigint, bytea or text: cast others in the statement.
class Table {
 public:
  Table() = default;
  explicit Table(pg_result* result) : result_(result) {}
  std::size_t rows() const;
  std::int64_t number(std::size_t row, int column) const;
  std::string_view bytes(std::size_t row, int column) const;  ///< lives as long as the table

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

/// The connection is gone, and with it what was not committed. Whether a commit on its way took place is not
/// known.
class ConnectionLost : public JournalError {
 public:
  ConnectionLost(const std::string& what)
      : JournalError(Why::failed, "journal", what, "is the database there, and does it take this user?") {}
};

/// One thread at a time. After anything was thrown the connection is of no further use.
class Connection {
 public:
  /// `address`: postgres://... or key=value, as libpq takes it. Statements see the tables of `schema`. Throws
  /// ConnectionLost.
  Connection(const std::string& address, const std::string& schema, int wait_ms_max);

  /// Statements are kept prepared: pass texts that do not change, with their values as parameters.
  void queue(const std::string& sql, const Parameters& parameters = {});
  /// Sends what was queued and waits for all of it. Throws ConnectionLost, or JournalError when the database
  /// refused a statement.
  std::vector<Table> run();
  /// One or more statements without parameters and rows, each of which may be new.
  void execute(const std::string& sql);
  /// Waits up to `timeout_ms` for a notification. True: there was one.
  bool wait_for_notification(int timeout_ms);

 private:
  struct Close {
    void operator()(pg_conn* connection) const;
  };
  void wait(bool to_write, std::int64_t deadline_ms);
  void flush(std::int64_t deadline_ms);
  [[noreturn]] void lost(const std::string& what);

  std::unique_ptr<pg_conn, Close> connection_;
  int wait_ms_max_;
  std::map<std::string, std::string> prepared_;  // statement -> its name
  std::vector<bool> is_answer_;  // of what is queued: a statement's, or that of its preparation
};

/// Connections that wait for their next use. Any thread.
class ConnectionPool {
 public:
  ConnectionPool(std::string address, std::string schema, int wait_ms_max);
  ~ConnectionPool();

  /// Calls use(connection) with one that nobody else has; it comes back unless something was thrown. `again`:
  /// a connection that waited may have died meanwhile, so what failed on it is done once more on a new one.
  template <class Use>
  auto with(const Use& use, bool again = true) {
    bool fresh = false;
    auto connection = take(fresh);
    if (again && !fresh) {
      try {
        auto result = use(*connection);
        give(std::move(connection));
        return result;
      } catch (const ConnectionLost&) {
        drop_waiting();
        connection = make();
      }
    }
    auto result = use(*connection);
    give(std::move(connection));
    return result;
  }
  /// With a connection of its own, from now on.
  template <class Use>
  auto make_and_use(const Use& use) {
    drop_waiting();
    auto connection = make();
    auto result = use(*connection);
    give(std::move(connection));
    return result;
  }
  std::unique_ptr<Connection> make() const;

 private:
  std::unique_ptr<Connection> take(bool& fresh);
  void give(std::unique_ptr<Connection> connection);
  void drop_waiting();

  struct State;
  std::string address_, schema_;
  int wait_ms_max_;
  std::unique_ptr<State> state_;
};

}  // namespace neuralts::serve
