// SQLite's door: a connection and its statements, with errors that say whether the disk is full or failing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "serve/journal/journal.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace neuralts::serve {

/// One prepared statement. Values are counted from 0 for columns and from 1 for parameters, as SQLite counts.
class Statement {
 public:
  Statement() = default;
  Statement(sqlite3* connection, const char* sql);

  Statement& bind(int index, std::int64_t value);
  /// Kept until the next step(): pass something that lives.
  Statement& bind(int index, std::string_view bytes);
  Statement& bind_text(int index, std::string_view text);
  /// True: a row is there. False: done. Throws JournalError.
  bool step();
  /// step() of a statement without rows, and ready for the next.
  void run();
  void reset();

  std::int64_t number(int column) const;
  std::string_view bytes(int column) const;                 ///< valid until the next step() or reset()

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// Ends a statement's row when the reader is done with it, also when something throws.
class Rows {
 public:
  explicit Rows(Statement& statement) : statement_(statement) {}
  Rows(const Rows&) = delete;
  ~Rows() { statement_.reset(); }
  bool next() { return statement_.step(); }

 private:
  Statement& statement_;
};

enum class Sync { full, normal };

class Database {
 public:
  Database() = default;
  /// The one connection that writes `path` and checkpoints its WAL. `vfs`: SQLite's name of the file system;
  /// empty: the real one.
  static Database writer(const std::string& path, const std::string& vfs, Sync sync);
  /// Reads only, and never checkpoints.
  static Database reader(const std::string& path, const std::string& vfs);

  void execute(const char* sql);
  Statement prepare(const char* sql) { return {connection_.get(), sql}; }
  int changes() const;
  /// True inside BEGIN: an error has not rolled back by itself.
  bool in_transaction() const;
  /// What is in the file and its WAL survives a loss of power.
  void settle_log();
  /// Moves what the WAL holds into the file and empties the WAL, as far as readers allow. Says nothing when it
  /// cannot.
  void shrink_log();
  /// From now on commits leave the WAL alone, until it is very long: who writes calls write_back() when nobody
  /// waits.
  void write_back_later();
  /// Moves what the WAL holds into the file, as far as readers allow, once it has grown to `pages`. Throws
  /// JournalError.
  void write_back(int pages);
  explicit operator bool() const { return connection_ != nullptr; }
  void close() { connection_.reset(); }

 private:
  static Database open(const std::string& path, const std::string& vfs, int flags);
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  struct Log;
  std::shared_ptr<Log> log_;  // told by SQLite: before the connection, which knows where it is
  std::unique_ptr<sqlite3, Close> connection_;
};

}  // namespace neuralts::serve
