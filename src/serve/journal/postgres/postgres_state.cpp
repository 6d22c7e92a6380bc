// The small tables beside the journal: configurations, models, checkpoints, leases. Every call is one
// transaction.
#include <fmt/format.h>

#include "serve/journal/postgres/postgres_journal.hpp"

namespace neuralts::serve {

namespace {


StoredModel model_of(const Table& table, std::size_t row) {
  return {.version = static_cast<std::uint64_t>(table.number(row, 0)),
          .position = static_cast<Sequence>(table.number(row, 1)),
          .time_us = table.number(row, 2),
          .sha256 = std::string(table.bytes(row, 3)),
          .note = std::string(table.bytes(row, 4)),
          .bytes = {}};
}

/// Runs what was queued, and nothing more comes of it.
bool done(Connection& connection) {
  connection.run();
  return true;
}

}  // namespace

/// A process that has lost its place as the one that learns, and does not know it yet, is stopped here.
/// Inside a transaction.
void PostgresJournal::check_learner(Connection& connection) {
  const std::int64_t epoch = epoch_;
  if (epoch == 0) return;
  connection.queue("SELECT epoch FROM learner WHERE one = 1 FOR SHARE");
  if (connection.run()[0].number(0, 0) == epoch) return;
  connection.execute("ROLLBACK");
  throw JournalError(JournalError::Why::failed, "journal", "another node learns now", "nothing was stored");
}

void PostgresJournal::put_checkpoint(std::uint32_t loop, const Checkpoint& checkpoint) {
  state_pool_.with([&](Connection& connection) {
    connection.execute("BEGIN");
    check_learner(connection);
    connection.queue(
        "INSERT INTO checkpoints VALUES ($1, $2, $3) ON CONFLICT (loop) DO UPDATE SET position = $2, bytes = "
        "$3",
        Parameters().number(loop).number(bigint(checkpoint.position)).bytes(checkpoint.bytes));
    connection.queue("COMMIT");
    return done(connection);
  });
}

std::optional<Checkpoint> PostgresJournal::get_checkpoint(std::uint32_t loop) {
  return state_pool_.with([&](Connection& connection) -> std::optional<Checkpoint> {
    connection.queue("SELECT position, bytes FROM checkpoints WHERE loop = $1", Parameters().number(loop));
    const auto tables = connection.run();
    if (tables[0].rows() == 0) return std::nullopt;
    return Checkpoint{static_cast<Sequence>(tables[0].number(0, 0)), std::string(tables[0].bytes(0, 1))};
  });
}

void PostgresJournal::drop_checkpoint(std::uint32_t loop) {
  state_pool_.with([&](Connection& connection) {
    connection.queue("DELETE FROM checkpoints WHERE loop = $1", Parameters().number(loop));
    return done(connection);
  });
}

// Not done again on a new connection: the first try may have stored the version that the second would find in
// its way.
void PostgresJournal::put_model(std::uint32_t loop, const StoredModel& model, std::size_t keep) {
  state_pool_.with(
      [&](Connection& connection) {
        connection.execute("BEGIN");
        check_learner(connection);
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(current_schema(), 3))");
        connection.queue("SELECT coalesce(max(version), 0) FROM models WHERE loop = $1",
                         Parameters().number(loop));
        const std::int64_t newest = connection.run()[0].number(0, 0), version = bigint(model.version);
        if (newest + 1 != version) {
          connection.execute("ROLLBACK");
          throw ContractError(fmt::format("put_model: version {} after {}", version, newest));
        }
        connection.queue("INSERT INTO models VALUES ($1, $2, $3, $4, $5, $6, $7)",
                         Parameters()
                             .number(loop)
                             .number(version)
                             .number(bigint(model.position))
                             .number(model.time_us)
                             .bytes(model.sha256)
                             .bytes(model.note)
                             .bytes(model.bytes));
        connection.queue("DELETE FROM models WHERE loop = $1 AND version <= $2",
                         Parameters().number(loop).number(version - bigint(keep)));
        connection.queue("NOTIFY neuralts");
        connection.queue("COMMIT");
        return done(connection);
      },
      false);
}

std::vector<StoredModel> PostgresJournal::models(std::uint32_t loop) {
  return state_pool_.with([&](Connection& connection) {
    connection.queue(
        "SELECT version, position, time, sha256, note FROM models WHERE loop = $1 ORDER BY version DESC",
        Parameters().number(loop));
    const auto tables = connection.run();
    std::vector<StoredModel> found;
    for (std::size_t row = 0; row < tables[0].rows(); ++row) found.push_back(model_of(tables[0], row));
    const std::lock_guard lock(models_mutex_);
    models_seen_[loop] = found;
    return found;
  });
}

std::vector<StoredModel> PostgresJournal::models_seen(std::uint32_t loop) {
  const std::lock_guard lock(models_mutex_);
  const auto seen = models_seen_.find(loop);
  return seen == models_seen_.end() ? std::vector<StoredModel>() : seen->second;
}

std::optional<StoredModel> PostgresJournal::model(std::uint32_t loop, std::uint64_t version) {
  return state_pool_.with([&](Connection& connection) -> std::optional<StoredModel> {
    connection.queue(
        "SELECT version, position, time, sha256, note, bytes FROM models WHERE loop = $1 AND version = $2",
        Parameters().number(loop).number(bigint(version)));
    const auto tables = connection.run();
    if (tables[0].rows() == 0) return std::nullopt;
    StoredModel found = model_of(tables[0], 0);
    found.bytes = tables[0].bytes(0, 5);
    return found;
  });
}

void PostgresJournal::put_setting(const std::string& key, const std::string& value) {
  state_pool_.with([&](Connection& connection) {
    connection.queue("BEGIN");
    connection.queue("INSERT INTO settings VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = $2",
                     Parameters().bytes(key).bytes(value));
    connection.queue("NOTIFY neuralts");
    connection.queue("COMMIT");
    return done(connection);
  });
}

std::optional<std::string> PostgresJournal::get_setting(const std::string& key) {
  return state_pool_.with([&](Connection& connection) -> std::optional<std::string> {
    connection.queue("SELECT value FROM settings WHERE key = $1", Parameters().bytes(key));
    const auto tables = connection.run();
    if (tables[0].rows() == 0) return std::nullopt;
    return std::string(tables[0].bytes(0, 0));
  });
}

std::vector<std::pair<std::string, std::string>> PostgresJournal::settings(const std::string& prefix) {
  return state_pool_.with([&](Connection& connection) {
    connection.queue("SELECT key, value FROM settings WHERE substr(key, 1, length($1)) = $1 ORDER BY key",
                     Parameters().bytes(prefix));
    const auto tables = connection.run();
    std::vector<std::pair<std::string, std::string>> found;
    for (std::size_t row = 0; row < tables[0].rows(); ++row)
      found.emplace_back(std::string(tables[0].bytes(row, 0)), std::string(tables[0].bytes(row, 1)));
    return found;
  });
}

void PostgresJournal::drop_setting(const std::string& key) {
  state_pool_.with([&](Connection& connection) {
    connection.queue("DELETE FROM settings WHERE key = $1", Parameters().bytes(key));
    return done(connection);
  });
}

bool PostgresJournal::lease(const std::string& name, const std::string& owner, std::int64_t now_us,
                            std::int64_t until_us) {
  return state_pool_.with([&](Connection& connection) {
    connection.queue(
        "INSERT INTO leases AS l VALUES ($1, $2, $4) ON CONFLICT (name) DO UPDATE SET owner = $2, until = $4 "
        "WHERE l.owner = $2 OR l.until <= $3 RETURNING 1::bigint",
        Parameters().bytes(name).bytes(owner).number(now_us).number(until_us));
    return connection.run()[0].rows() == 1;
  });
}

}  // namespace neuralts::serve
