#include "serve/journal/postgres/connection.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <bit>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>

namespace neuralts::serve {

namespace {

// Types' numbers, fixed in every PostgreSQL.
constexpr unsigned type_bytea = 17, type_bigint = 20, type_text = 25, type_bytea_array = 1001,
                   type_bigint_array = 1016;
constexpr std::size_t waiting_max = 16;

template <class T>
void put(std::string& out, T value) {
  for (int shift = static_cast<int>(sizeof value) * 8 - 8; shift >= 0; shift -= 8)
    out += static_cast<char>(value >> shift);
}

/// One dimension, no nulls, counted from 1.
std::string array_head(unsigned type, std::size_t size) {
  std::string out;
  put<std::int32_t>(out, size == 0 ? 0 : 1);
  put<std::int32_t>(out, 0);
  put<std::int32_t>(out, static_cast<std::int32_t>(type));
  if (size == 0) return out;
  put<std::int32_t>(out, static_cast<std::int32_t>(size));
  put<std::int32_t>(out, 1);
  return out;
}

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

/// The first line, which says it; the others repeat where.
std::string first_line(const char* message) {
  const std::string text = message == nullptr ? "" : message;
  return text.substr(0, text.find('\n'));
}

[[noreturn]] void refused(const PGresult* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string code = state == nullptr ? "" : state;
  const std::string what = first_line(PQresultErrorMessage(result));
  if (code.starts_with("57P") || code.starts_with("08") || code == "25006" || code == "25P03")
    throw ConnectionLost(what);
  if (code.starts_with("53"))
    throw JournalError(JournalError::Why::full, "journal", what, "free some space; nothing was stored");
  if (code == "42501")
    throw JournalError(JournalError::Why::failed, "journal", what,
                       "make this user the owner of the database, or of a schema that is made for it");
  throw JournalError(JournalError::Why::failed, "journal", what, "nothing was stored");
}

}  // namespace

Parameters& Parameters::add(unsigned type, std::string value) {
  types_.push_back(type);
  values_.push_back(std::move(value));
  return *this;
}

Parameters& Parameters::number(std::int64_t value) {
  std::string out;
  put(out, value);
  return add(type_bigint, std::move(out));
}

Parameters& Parameters::bytes(std::string_view value) { return add(type_bytea, std::string(value)); }
Parameters& Parameters::text(std::string_view value) { return add(type_text, std::string(value)); }

Parameters& Parameters::numbers(const std::vector<std::int64_t>& values) {
  std::string out = array_head(type_bigint, values.size());
  for (const std::int64_t value : values) {
    put<std::int32_t>(out, sizeof value);
    put(out, value);
  }
  return add(type_bigint_array, std::move(out));
}

Parameters& Parameters::texts(const std::vector<std::string_view>& values) {
  std::string out = array_head(type_bytea, values.size());
  for (const std::string_view value : values) {
    put<std::int32_t>(out, static_cast<std::int32_t>(value.size()));
    out += value;
  }
  return add(type_bytea_array, std::move(out));
}

void Table::Clear::operator()(pg_result* result) const { PQclear(result); }
std::size_t Table::rows() const { return result_ ? static_cast<std::size_t>(PQntuples(result_.get())) : 0; }

std::int64_t Table::number(std::size_t row, int column) const {
  std::uint64_t value = 0;
  for (const char byte : bytes(row, column)) value = value << 8 | static_cast<unsigned char>(byte);
  return std::bit_cast<std::int64_t>(value);
}

std::string_view Table::bytes(std::size_t row, int column) const {
  const int r = static_cast<int>(row);
  return {PQgetvalue(result_.get(), r, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), r, column))};
}

void Connection::Close::operator()(pg_conn* connection) const { PQfinish(connection); }

// The timeouts below end what a lost client leaves behind: a transaction that nobody goes on with would hold
// the journal's head.
Connection::Connection(const std::string& address, const std::string& schema, int wait_ms_max)
    : wait_ms_max_(wait_ms_max) {
  // What stands in the address wins over what is given before it.
  const char* keys[] = {"connect_timeout", "application_name", "target_session_attrs", "dbname", nullptr};
  const char* values[] = {"2", "neuralts", "read-write", address.c_str(), nullptr};
  connection_.reset(PQconnectdbParams(keys, values, 1));
  if (PQstatus(connection_.get()) != CONNECTION_OK) lost(first_line(PQerrorMessage(connection_.get())));
  PQsetNoticeProcessor(
      connection_.get(), [](void*, const char*) {}, nullptr);
  PQsetnonblocking(connection_.get(), 1);
  execute(
      fmt::format("SET search_path TO {}; SET client_min_messages TO warning; SET "
                  "idle_in_transaction_session_timeout TO '3s'; "
                  "SET statement_timeout TO {}; SET enable_hashjoin TO off; SET enable_mergejoin TO off; SET "
                  "enable_seqscan TO off; "
                  "SET enable_bitmapscan TO off; SET jit TO off; SET plan_cache_mode TO force_generic_plan",
                  schema, wait_ms_max));
}

void Connection::lost(const std::string& what) {
  throw ConnectionLost(what.empty() ? "the connection was lost" : what);
}

void Connection::wait(bool to_write, std::int64_t deadline_ms) {
  pollfd file{PQsocket(connection_.get()), static_cast<short>(to_write ? POLLIN | POLLOUT : POLLIN), 0};
  const std::int64_t left = deadline_ms - now_ms();
  if (left <= 0 || ::poll(&file, 1, static_cast<int>(left)) == 0) lost("the database did not answer in time");
  if ((file.revents & (POLLIN | POLLERR | POLLHUP)) != 0 && PQconsumeInput(connection_.get()) == 0)
    lost(first_line(PQerrorMessage(connection_.get())));
}

void Connection::flush(std::int64_t deadline_ms) {
  for (int left = 1; left != 0;) {
    left = PQflush(connection_.get());
    if (left < 0) lost(first_line(PQerrorMessage(connection_.get())));
    if (left > 0) wait(true, deadline_ms);
  }
}

void Connection::queue(const std::string& sql, const Parameters& parameters) {
  pg_conn* connection = connection_.get();
  if (PQpipelineStatus(connection) == PQ_PIPELINE_OFF && PQenterPipelineMode(connection) != 1)
    lost("no pipeline");
  auto known = prepared_.find(sql);
  const int count = static_cast<int>(parameters.values().size());
  if (known == prepared_.end()) {
    known = prepared_.emplace(sql, fmt::format("s{}", prepared_.size())).first;
    if (PQsendPrepare(connection, known->second.c_str(), sql.c_str(), count, parameters.types().data()) != 1)
      lost(first_line(PQerrorMessage(connection)));
    is_answer_.push_back(false);
  }
  std::vector<const char*> values;
  std::vector<int> lengths, formats(parameters.values().size(), 1);
  for (const std::string& value : parameters.values()) {
    values.push_back(value.data());
    lengths.push_back(static_cast<int>(value.size()));
  }
  if (PQsendQueryPrepared(connection, known->second.c_str(), count, values.data(), lengths.data(),
                          formats.data(), 1) != 1)
    lost(first_line(PQerrorMessage(connection)));
  is_answer_.push_back(true);
}

std::vector<Table> Connection::run() {
  pg_conn* connection = connection_.get();
  const std::int64_t deadline_ms = now_ms() + wait_ms_max_;
  if (PQpipelineSync(connection) != 1) lost(first_line(PQerrorMessage(connection)));
  flush(deadline_ms);
  std::vector<Table> tables;
  std::unique_ptr<PGresult, decltype(&PQclear)> failure(nullptr, &PQclear);
  for (std::size_t at = 0;;) {
    while (PQisBusy(connection) != 0) wait(false, deadline_ms);
    PGresult* result = PQgetResult(connection);
    if (result == nullptr) {  // the end of one statement's results
      if (PQstatus(connection) != CONNECTION_OK) lost(first_line(PQerrorMessage(connection)));
      continue;
    }
    const auto status = PQresultStatus(result);
    if (status == PGRES_PIPELINE_SYNC) {
      PQclear(result);
      break;
    }
    if (status == PGRES_FATAL_ERROR && !failure) {
      failure.reset(result);
      if (PQstatus(connection) != CONNECTION_OK) break;
      continue;
    }
    Table table(result);
    if (at < is_answer_.size() && is_answer_[at]) tables.push_back(std::move(table));
    ++at;
  }
  is_answer_.clear();
  if (!failure) return tables;
  if (PQstatus(connection) != CONNECTION_OK) lost(first_line(PQresultErrorMessage(failure.get())));
  refused(failure.get());
}

void Connection::execute(const std::string& sql) {
  pg_conn* connection = connection_.get();
  if (PQpipelineStatus(connection) != PQ_PIPELINE_OFF) PQexitPipelineMode(connection);
  const std::int64_t deadline_ms = now_ms() + wait_ms_max_;
  if (PQsendQuery(connection, sql.c_str()) != 1) lost(first_line(PQerrorMessage(connection)));
  flush(deadline_ms);
  std::unique_ptr<PGresult, decltype(&PQclear)> failure(nullptr, &PQclear);
  while (true) {
    while (PQisBusy(connection) != 0) wait(false, deadline_ms);
    PGresult* result = PQgetResult(connection);
    if (result == nullptr) break;
    if (PQresultStatus(result) == PGRES_FATAL_ERROR && !failure)
      failure.reset(result);
    else
      PQclear(result);
    if (PQstatus(connection) != CONNECTION_OK) break;
  }
  if (PQstatus(connection) != CONNECTION_OK) lost(first_line(PQerrorMessage(connection)));
  if (failure) refused(failure.get());
}

bool Connection::wait_for_notification(int timeout_ms) {
  pg_conn* connection = connection_.get();
  if (PQpipelineStatus(connection) != PQ_PIPELINE_OFF) PQexitPipelineMode(connection);
  pollfd file{PQsocket(connection), POLLIN, 0};
  if (::poll(&file, 1, timeout_ms) > 0 && PQconsumeInput(connection) == 0)
    lost(first_line(PQerrorMessage(connection)));
  bool any = false;
  while (PGnotify* note = PQnotifies(connection)) {
    PQfreemem(note);
    any = true;
  }
  return any;
}

struct ConnectionPool::State {
  std::mutex mutex;
  std::vector<std::unique_ptr<Connection>> waiting;
};

ConnectionPool::ConnectionPool(std::string address, std::string schema, int wait_ms_max)
    : address_(std::move(address)),
      schema_(std::move(schema)),
      wait_ms_max_(wait_ms_max),
      state_(std::make_unique<State>()) {}
ConnectionPool::~ConnectionPool() = default;

std::unique_ptr<Connection> ConnectionPool::make() const {
  return std::make_unique<Connection>(address_, schema_, wait_ms_max_);
}

std::unique_ptr<Connection> ConnectionPool::take(bool& fresh) {
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->waiting.empty()) {
      auto connection = std::move(state_->waiting.back());
      state_->waiting.pop_back();
      return connection;
    }
  }
  fresh = true;
  return make();
}

void ConnectionPool::give(std::unique_ptr<Connection> connection) {
  const std::lock_guard lock(state_->mutex);
  if (state_->waiting.size() < waiting_max) state_->waiting.push_back(std::move(connection));
}

void ConnectionPool::drop_waiting() {
  const std::lock_guard lock(state_->mutex);
  state_->waiting.clear();
}

}  // namespace neuralts::serve
