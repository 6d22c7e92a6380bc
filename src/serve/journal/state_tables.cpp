#include "serve/journal/state_tables.hpp"

namespace neuralts::serve {

namespace {

constexpr const char* schema = R"(
CREATE TABLE IF NOT EXISTS segments(number INTEGER PRIMARY KEY, first INTEGER NOT NULL, first_time INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS checkpoints(loop INTEGER PRIMARY KEY, position INTEGER NOT NULL, bytes BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS models(loop INTEGER, version INTEGER, position INTEGER NOT NULL, time INTEGER NOT NULL,
                                  sha256 TEXT NOT NULL, note TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY(loop, version));
CREATE TABLE IF NOT EXISTS settings(key TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS leases(name TEXT PRIMARY KEY, owner TEXT NOT NULL, until INTEGER NOT NULL);
)";

StoredModel model_of(const Statement& row) {
  return {.version = static_cast<std::uint64_t>(row.number(0)),
          .position = static_cast<Sequence>(row.number(1)),
          .time_us = row.number(2),
          .sha256 = std::string(row.bytes(3)),
          .note = std::string(row.bytes(4)),
          .bytes = {}};
}

}  // namespace

StateTables::StateTables(const std::string& path, const std::string& vfs, Sync sync)
    : database_(Database::writer(path, vfs, sync)) {
  database_.execute(schema);
}

template <class Body>
void StateTables::transaction(const Body& body) {
  const std::lock_guard lock(mutex_);
  database_.execute("BEGIN IMMEDIATE");
  try {
    body();
    database_.execute("COMMIT");
  } catch (...) {
    if (database_.in_transaction()) database_.execute("ROLLBACK");
    throw;
  }
}

std::vector<SegmentRow> StateTables::segments() {
  const std::lock_guard lock(mutex_);
  auto rows = database_.prepare("SELECT number, first, first_time FROM segments ORDER BY number");
  std::vector<SegmentRow> found;
  while (rows.step())
    found.push_back(
        {static_cast<std::uint64_t>(rows.number(0)), static_cast<Sequence>(rows.number(1)), rows.number(2)});
  return found;
}

void StateTables::add_segment(const SegmentRow& row) {
  transaction([&] {
    auto insert = database_.prepare("INSERT OR REPLACE INTO segments VALUES(?,?,?)");
    insert.bind(1, static_cast<std::int64_t>(row.number)).bind(2, static_cast<std::int64_t>(row.first));
    insert.bind(3, row.first_time_us).run();
  });
}

void StateTables::drop_segment(std::uint64_t number) {
  transaction([&] {
    database_.prepare("DELETE FROM segments WHERE number=?").bind(1, static_cast<std::int64_t>(number)).run();
  });
}

void StateTables::put_checkpoint(std::uint32_t loop, const Checkpoint& checkpoint) {
  transaction([&] {
    auto insert = database_.prepare("INSERT OR REPLACE INTO checkpoints VALUES(?,?,?)");
    insert.bind(1, loop).bind(2, static_cast<std::int64_t>(checkpoint.position)).bind(3, checkpoint.bytes).run();
  });
}

std::optional<Checkpoint> StateTables::get_checkpoint(std::uint32_t loop) {
  const std::lock_guard lock(mutex_);
  auto row = database_.prepare("SELECT position, bytes FROM checkpoints WHERE loop=?");
  if (!row.bind(1, loop).step()) return std::nullopt;
  return Checkpoint{static_cast<Sequence>(row.number(0)), std::string(row.bytes(1))};
}

void StateTables::drop_checkpoint(std::uint32_t loop) {
  transaction([&] { database_.prepare("DELETE FROM checkpoints WHERE loop=?").bind(1, loop).run(); });
}

void StateTables::put_model(std::uint32_t loop, const StoredModel& model, std::size_t keep) {
  transaction([&] {
    auto newest = database_.prepare("SELECT coalesce(max(version), 0) FROM models WHERE loop=?");
    newest.bind(1, loop).step();
    const auto version = static_cast<std::int64_t>(model.version);
    if (newest.number(0) + 1 != version)
      throw ContractError("put_model: version " + std::to_string(version) + " after " +
                          std::to_string(newest.number(0)));
    newest.reset();
    auto insert = database_.prepare("INSERT INTO models VALUES(?,?,?,?,?,?,?)");
    insert.bind(1, loop).bind(2, version).bind(3, static_cast<std::int64_t>(model.position)).bind(4, model.time_us);
    insert.bind_text(5, model.sha256).bind_text(6, model.note).bind(7, model.bytes).run();
    auto forget = database_.prepare("DELETE FROM models WHERE loop=? AND version<=?");
    forget.bind(1, loop).bind(2, version - static_cast<std::int64_t>(keep)).run();
  });
}

std::vector<StoredModel> StateTables::models(std::uint32_t loop) {
  const std::lock_guard lock(mutex_);
  auto rows = database_.prepare(
      "SELECT version, position, time, sha256, note FROM models WHERE loop=? ORDER BY version DESC");
  rows.bind(1, loop);
  std::vector<StoredModel> found;
  while (rows.step()) found.push_back(model_of(rows));
  return found;
}

std::optional<StoredModel> StateTables::model(std::uint32_t loop, std::uint64_t version) {
  const std::lock_guard lock(mutex_);
  auto row = database_.prepare(
      "SELECT version, position, time, sha256, note, bytes FROM models WHERE loop=? AND version=?");
  if (!row.bind(1, loop).bind(2, static_cast<std::int64_t>(version)).step()) return std::nullopt;
  StoredModel found = model_of(row);
  found.bytes = row.bytes(5);
  return found;
}

void StateTables::put_setting(const std::string& key, const std::string& value) {
  transaction([&] {
    database_.prepare("INSERT OR REPLACE INTO settings VALUES(?,?)").bind_text(1, key).bind(2, value).run();
  });
}

std::optional<std::string> StateTables::get_setting(const std::string& key) {
  const std::lock_guard lock(mutex_);
  auto row = database_.prepare("SELECT value FROM settings WHERE key=?");
  if (!row.bind_text(1, key).step()) return std::nullopt;
  return std::string(row.bytes(0));
}

std::vector<std::pair<std::string, std::string>> StateTables::settings(const std::string& prefix) {
  const std::lock_guard lock(mutex_);
  auto rows = database_.prepare(
      "SELECT key, value FROM settings WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key");
  rows.bind_text(1, prefix);
  std::vector<std::pair<std::string, std::string>> found;
  while (rows.step()) found.emplace_back(std::string(rows.bytes(0)), std::string(rows.bytes(1)));
  return found;
}

void StateTables::drop_setting(const std::string& key) {
  transaction([&] { database_.prepare("DELETE FROM settings WHERE key=?").bind_text(1, key).run(); });
}

bool StateTables::lease(const std::string& name, const std::string& owner, std::int64_t now_us,
                        std::int64_t until_us) {
  bool held = false;
  transaction([&] {
    auto take = database_.prepare(
        "INSERT INTO leases VALUES(?1,?2,?4) ON CONFLICT(name) DO UPDATE SET owner=?2, until=?4 WHERE owner=?2 OR until<=?3");
    take.bind_text(1, name).bind_text(2, owner).bind(3, now_us).bind(4, until_us).run();
    held = database_.changes() == 1;
  });
  return held;
}

}  // namespace neuralts::serve
