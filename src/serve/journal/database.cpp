#include "serve/journal/database.hpp"

#include <sqlite3.h>

namespace neuralts::serve {

namespace {

[[noreturn]] void fail(sqlite3* connection, int code) {
  const char* file = connection == nullptr ? nullptr : sqlite3_db_filename(connection, "main");
  const std::string where = file == nullptr ? "journal" : file;
  const std::string what = connection == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(connection);
  const int kind = code & 0xff;
  if (kind == SQLITE_FULL)
    throw JournalError(JournalError::Why::full, where, what, "free some space; nothing was stored");
  if (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB)
    throw JournalError(JournalError::Why::failed, where, what, "restore the file from a backup; nothing was stored");
  throw JournalError(JournalError::Why::failed, where, what, "nothing was stored");
}

void check(sqlite3* connection, int code) {
  if (code != SQLITE_OK) fail(connection, code);
}

/// Statistics of memory nobody asks for, kept under one lock for all threads: who writes would wait there for a
/// reader that has no processor. Where SQLite is in use already it stays as it is.
void forgo_statistics() {
  static const int done = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  static_cast<void>(done);
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(sqlite3* connection, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  check(connection, sqlite3_prepare_v3(connection, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
  statement_.reset(statement);
}

Statement& Statement::bind(int index, std::int64_t value) {
  check(sqlite3_db_handle(statement_.get()), sqlite3_bind_int64(statement_.get(), index, value));
  return *this;
}

Statement& Statement::bind(int index, std::string_view bytes) {
  static const char nothing = 0;  // a null pointer would bind NULL
  const char* data = bytes.data() == nullptr ? &nothing : bytes.data();
  check(sqlite3_db_handle(statement_.get()),
        sqlite3_bind_blob64(statement_.get(), index, data, bytes.size(), SQLITE_STATIC));
  return *this;
}

Statement& Statement::bind_text(int index, std::string_view text) {
  static const char nothing = 0;
  const char* data = text.data() == nullptr ? &nothing : text.data();
  check(sqlite3_db_handle(statement_.get()),
        sqlite3_bind_text64(statement_.get(), index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  fail(sqlite3_db_handle(statement_.get()), code);
}

void Statement::run() {
  Rows rows(*this);
  while (rows.next()) {
  }
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

std::int64_t Statement::number(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string_view Statement::bytes(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

Database Database::open(const std::string& path, const std::string& vfs, int flags) {
  forgo_statistics();
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &connection, flags | SQLITE_OPEN_NOMUTEX,
                                   vfs.empty() ? nullptr : vfs.c_str());
  Database database;
  database.connection_.reset(connection);
  if (code != SQLITE_OK) {
    const std::string what = connection == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(connection);
    const auto why = (code & 0xff) == SQLITE_FULL ? JournalError::Why::full : JournalError::Why::failed;
    throw JournalError(why, path, what, "is the folder there and writable?");
  }
  sqlite3_extended_result_codes(connection, 1);
  sqlite3_busy_timeout(connection, 5000);
  database.execute("PRAGMA mmap_size=0");
  return database;
}

Database Database::writer(const std::string& path, const std::string& vfs, Sync sync) {
  Database database = open(path, vfs, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  database.execute("PRAGMA page_size=8192");
  database.execute("PRAGMA journal_mode=WAL");
  database.execute(sync == Sync::full ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
  database.execute("PRAGMA wal_autocheckpoint=256");
  database.settle_log();
  return database;
}

// What a process that was killed had written is in the system's memory, and would be believed; only a sync
// keeps it there for good.
void Database::settle_log() {
  const int code = sqlite3_wal_checkpoint_v2(connection_.get(), nullptr, SQLITE_CHECKPOINT_FULL, nullptr, nullptr);
  if ((code & 0xff) != SQLITE_BUSY) check(connection_.get(), code);  // somebody reads on: the next commit syncs it
}

Database Database::reader(const std::string& path, const std::string& vfs) {
  Database database = open(path, vfs, SQLITE_OPEN_READONLY);
  database.execute("PRAGMA wal_autocheckpoint=0");
  return database;
}

void Database::execute(const char* sql) {
  check(connection_.get(), sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr));
}
int Database::changes() const { return sqlite3_changes(connection_.get()); }
bool Database::in_transaction() const { return connection_ && sqlite3_get_autocommit(connection_.get()) == 0; }

struct Database::Log {
  static constexpr int very_long = 8192;
  int pages = 0;         // of the WAL
  bool touched = false;  // since it was written back last
};

void Database::write_back_later() {
  log_ = std::make_shared<Log>();
  const auto committed = [](void* to, sqlite3* connection, const char*, int pages) {
    *static_cast<Log*>(to) = {pages, true};
    if (pages >= Log::very_long)
      sqlite3_wal_checkpoint_v2(connection, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    return SQLITE_OK;
  };
  sqlite3_wal_hook(connection_.get(), committed, log_.get());
}

void Database::write_back(int pages) {
  if (!log_->touched || log_->pages < pages) return;
  log_->touched = false;
  const int code = sqlite3_wal_checkpoint_v2(connection_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr,
                                             nullptr);
  if ((code & 0xff) != SQLITE_BUSY) check(connection_.get(), code);  // somebody reads on: the next time
}

void Database::shrink_log() {
  sqlite3_wal_checkpoint_v2(connection_.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
}

}  // namespace neuralts::serve
