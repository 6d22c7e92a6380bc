#include "serve/journal/postgres/postgres_journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "serve/journal/postgres/postgres_reader.hpp"
#include "serve/journal/postgres/schema.hpp"

namespace neuralts::serve {

namespace {

constexpr std::int64_t look_ms = 5;  // many learners that ask at once cost one question
constexpr std::size_t writers_max = 65535;

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

// Advisory locks of all that share the tables: on learning, and on changes by a person.
constexpr const char* learner_lock_sql =
    "SELECT pg_try_advisory_lock(hashtextextended(current_schema(), 1))::int::bigint";
constexpr const char* turn_lock_sql = "SELECT pg_advisory_lock(hashtextextended(current_schema(), 2))";

}  // namespace

PostgresJournal::PostgresJournal(const std::string& address, const PostgresOptions& options,
                                 std::uint64_t instance)
    : options_(options),
      instance_(static_cast<std::int64_t>(instance >> 1)),
      pool_(address, options.schema, options.wait_ms_max),
      state_pool_(address, options.schema, options.state_wait_ms_max) {
  try {
    prepare();
  } catch (const ConnectionLost&) {
    if (options.must_answer) throw;
  }
}

void PostgresJournal::prepare() {
  if (prepared_) return;
  pool_.with([&](Connection& connection) {
    prepare_schema(connection, options_.schema);
    return true;
  });
  look();
  prepared_ = true;
}

PostgresJournal::~PostgresJournal() = default;

void PostgresJournal::read_segments(Connection& connection) {
  connection.queue("SELECT number, first FROM segments ORDER BY number");
  const auto tables = connection.run();
  segments_.clear();
  for (std::size_t row = 0; row < tables[0].rows(); ++row) {
    if (!segments_.empty()) segments_.back().bound = static_cast<Sequence>(tables[0].number(row, 1));
    segments_.push_back({tables[0].number(row, 0), static_cast<Sequence>(tables[0].number(row, 1)), 0});
  }
}

void PostgresJournal::look() {
  const std::lock_guard lock(look_mutex_);
  pool_.with([&](Connection& connection) {
    connection.queue(
        "SELECT next, segment, (SELECT coalesce(min(number), 0) FROM segments) FROM head WHERE one = 1");
    const auto tables = connection.run();
    const std::int64_t newest = tables[0].number(0, 1), oldest = tables[0].number(0, 2);
    const auto last = static_cast<Sequence>(tables[0].number(0, 0)) - 1;
    const bool shorter = last < last_;  // an older copy, or a standby that had not seen all
    if ((segments_.empty() && newest != 0) || shorter ||
        (!segments_.empty() && (segments_.back().number != newest || segments_.front().number != oldest)))
      read_segments(connection);
    last_ = last;
    looked_ms_ = now_ms();
    return true;
  });
}

Sequence PostgresJournal::last() {
  if (now_ms() - looked_ms_ >= look_ms) look();
  return last_;
}

PostgresJournal::Segment PostgresJournal::segment_of(Sequence sequence) {
  const std::lock_guard lock(look_mutex_);
  if (segments_.empty()) return {};
  auto after = std::upper_bound(segments_.begin(), segments_.end(), sequence,
                                [](Sequence s, const Segment& r) { return s < r.first; });
  if (after == segments_.begin())
    ++after;  // older than all that is kept: the oldest says that it is not there
  return *(after - 1);
}

std::unique_ptr<JournalReader> PostgresJournal::reader() { return std::make_unique<PostgresReader>(*this); }

/// As it was last seen: an answer about health must not wait for a database that is away.
JournalInfo PostgresJournal::info() {
  const std::lock_guard lock(look_mutex_);
  JournalInfo info;
  info.first = segments_.empty() ? 1 : segments_.front().first;
  info.last = last_;
  info.segments = segments_.size();
  info.bytes = bytes_;
  info.failed = failed_;
  return info;
}

std::size_t PostgresJournal::drop_before(std::int64_t time_us) {
  const std::size_t dropped = pool_.with([&](Connection& connection) {
    connection.execute("BEGIN; SELECT FROM head WHERE one = 1 FOR UPDATE");
    connection.queue(
        "SELECT s.number FROM segments s WHERE (SELECT min(n.first_time) FROM segments n WHERE n.number > "
        "s.number) < $1 ORDER BY 1",
        Parameters().number(time_us));
    connection.queue(
        "SELECT coalesce(sum(pg_total_relation_size(inhrelid)), 0)::bigint FROM pg_inherits WHERE inhparent "
        "= 'records'::regclass");
    const auto tables = connection.run();
    for (std::size_t row = 0; row < tables[0].rows(); ++row) {
      const std::int64_t n = tables[0].number(row, 0);
      connection.execute(
          fmt::format("DROP TABLE records_{0}, names_{0}, keys_{0}; DELETE FROM segments WHERE number = {0}; "
                      "DELETE FROM writer_segments WHERE segment = {0}",
                      n));
    }
    connection.execute(fmt::format(
        "DELETE FROM waiting WHERE time < {0}; DELETE FROM appenders WHERE time < {0}; COMMIT", time_us));
    bytes_ = static_cast<std::uint64_t>(tables[1].number(0, 0));
    return tables[0].rows();
  });
  look();
  return dropped;
}

std::shared_ptr<void> PostgresJournal::turn() {
  std::shared_ptr<Connection> connection = state_pool_.make();
  connection->execute(turn_lock_sql);
  return connection;  // its end lets the lock go
}

std::uint16_t PostgresJournal::writer(const std::string& node, Sequence shipped) {
  return pool_.with([&](Connection& connection) {
    connection.execute("BEGIN; SELECT FROM head WHERE one = 1 FOR UPDATE");
    connection.queue(
        "INSERT INTO writers SELECT coalesce(max(writer), 0) + 1, $1, $2 FROM writers "
        "HAVING NOT EXISTS (SELECT FROM writers WHERE node = $1)",
        Parameters().bytes(node).number(bigint(shipped)));
    connection.queue("SELECT writer FROM writers WHERE node = $1", Parameters().bytes(node));
    const auto tables = connection.run();
    const std::int64_t number = tables[1].number(0, 0);
    if (number > static_cast<std::int64_t>(writers_max))
      throw JournalError(JournalError::Why::failed, "journal",
                         fmt::format("there are {} nodes already", writers_max), "use an old node's name");
    connection.execute("COMMIT");
    return static_cast<std::uint16_t>(number);
  });
}

Sequence PostgresJournal::shipped(std::uint16_t writer) {
  prepare();
  return pool_.with([&](Connection& connection) {
    connection.queue("SELECT shipped FROM writers WHERE writer = $1", Parameters().number(writer));
    const auto tables = connection.run();
    return tables[0].rows() == 0 ? Sequence{0} : static_cast<Sequence>(tables[0].number(0, 0));
  });
}

/// The advisory lock is the session's; a session that says nothing for ten seconds is ended by the database
/// (14 and later; earlier ones find out by TCP's keepalives). The epoch is what later transactions are
/// checked by.
bool PostgresJournal::lead() try {
  prepare();
  if (!election_) {
    epoch_ = 0;
    election_ = state_pool_.make();
    election_->execute(
        "SET tcp_keepalives_idle TO 5; SET tcp_keepalives_interval TO 2; SET tcp_keepalives_count TO 3; "
        "SELECT set_config(name, '10s', false) FROM pg_settings WHERE name = 'idle_session_timeout'");
  }
  if (epoch_ != 0) {
    election_->queue("SELECT epoch FROM learner WHERE one = 1");
    const auto tables = election_->run();
    if (tables[0].number(0, 0) != epoch_) epoch_ = 0, election_.reset();
    return epoch_ != 0;
  }
  election_->queue(learner_lock_sql);
  if (election_->run()[0].number(0, 0) == 0) return false;
  election_->queue("UPDATE learner SET epoch = epoch + 1 WHERE one = 1 RETURNING epoch");
  epoch_ = election_->run()[0].number(0, 0);
  return true;
} catch (const JournalError&) {
  epoch_ = 0;
  election_.reset();
  return false;
}

void PostgresJournal::resign() {
  epoch_ = 0;
  election_.reset();
}

void PostgresJournal::wait_for_change(int timeout_ms) {
  prepare();
  try {
    if (!changes_) {
      changes_ = state_pool_.make();
      changes_->execute("LISTEN neuralts");
    }
    changes_->wait_for_notification(timeout_ms);
    last();
  } catch (const JournalError&) {
    changes_.reset();
    throw;
  }
}

}  // namespace neuralts::serve
