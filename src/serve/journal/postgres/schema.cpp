#include "serve/journal/postgres/schema.hpp"

#include <fmt/format.h>

namespace neuralts::serve {

namespace {

// A segment is a partition of records, names and keys, begun every day; `head` says where the journal ends,
// and its one row is held by whoever appends. Keys stand with their event's segment, names with their own.
constexpr const char* version_1 = R"(
CREATE TABLE head(one bigint PRIMARY KEY CHECK (one = 1), next bigint NOT NULL, time bigint NOT NULL, segment bigint NOT NULL,
                  segment_first bigint NOT NULL, segment_time bigint NOT NULL) WITH (fillfactor = 10);
INSERT INTO head VALUES (1, 1, 0, 0, 0, 0);
CREATE TABLE segments(number bigint PRIMARY KEY, first bigint NOT NULL, first_time bigint NOT NULL);
CREATE TABLE records(segment bigint NOT NULL, sequence bigint NOT NULL, kind bigint NOT NULL, loop bigint NOT NULL, time bigint NOT NULL,
                     target bigint NOT NULL, payload bytea NOT NULL, PRIMARY KEY (sequence, segment)) PARTITION BY LIST (segment);
CREATE TABLE names(segment bigint NOT NULL, name bytea NOT NULL, loop bigint NOT NULL, sequence bigint NOT NULL,
                   PRIMARY KEY (name, loop, segment)) PARTITION BY LIST (segment);
CREATE TABLE keys(segment bigint NOT NULL, event bigint NOT NULL, key bytea NOT NULL,
                  PRIMARY KEY (event, key, segment)) PARTITION BY LIST (segment);
CREATE TABLE appenders(name bigint PRIMARY KEY, batch bigint NOT NULL, time bigint NOT NULL) WITH (fillfactor = 50);
CREATE TABLE checkpoints(loop bigint PRIMARY KEY, position bigint NOT NULL, bytes bytea NOT NULL);
CREATE TABLE models(loop bigint, version bigint, position bigint NOT NULL, time bigint NOT NULL, sha256 bytea NOT NULL,
                    note bytea NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (loop, version));
CREATE TABLE settings(key bytea PRIMARY KEY, value bytea NOT NULL);
CREATE TABLE leases(name bytea PRIMARY KEY, owner bytea NOT NULL, until bigint NOT NULL);
)";

// Nodes with a spool of their own: who they are, how far they have shipped, what came before its event; and
// who learns.
constexpr const char* version_2 = R"(
ALTER TABLE records ADD COLUMN writer bigint NOT NULL DEFAULT 0, ADD COLUMN origin bigint NOT NULL DEFAULT 0;
CREATE INDEX records_origin ON records(origin, writer) WHERE writer <> 0;
CREATE TABLE writers(writer bigint PRIMARY KEY, node bytea NOT NULL UNIQUE, shipped bigint NOT NULL) WITH (fillfactor = 50);
CREATE TABLE writer_segments(writer bigint NOT NULL, first bigint NOT NULL, segment bigint NOT NULL, PRIMARY KEY (writer, segment));
CREATE TABLE waiting(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, writer bigint NOT NULL, target bigint NOT NULL,
                     name bytea NOT NULL, loop bigint NOT NULL, kind bigint NOT NULL, key bytea NOT NULL, payload bytea NOT NULL,
                     time bigint NOT NULL, UNIQUE (name, target, writer, loop, kind, key));
CREATE TABLE learner(one bigint PRIMARY KEY CHECK (one = 1), epoch bigint NOT NULL);
INSERT INTO learner VALUES (1, 0);
)";

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 63 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos &&
         (name[0] < '0' || name[0] > '9');
}

}  // namespace

const std::vector<const char*>& schema_steps() {
  static const std::vector<const char*> steps = {version_1, version_2};
  return steps;
}

void prepare_schema(Connection& connection, const std::string& schema) {
  if (!is_plain_name(schema))
    throw Error(ErrorCode::bad_spec, "journal", "'" + schema + "' cannot name a schema",
                "a-z, 0-9 and _, not a digit first");
  // A schema that a person made for a user without the right to make any is taken as it is.
  connection.execute("BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('neuralts schema', 1))");
  connection.queue("SELECT count(*) FROM pg_namespace WHERE nspname = convert_from($1, 'UTF8')",
                   Parameters().bytes(schema));
  if (connection.run()[0].number(0, 0) == 0) connection.execute("CREATE SCHEMA " + schema);
  connection.execute(
      "CREATE TABLE IF NOT EXISTS versions(version bigint PRIMARY KEY, made timestamptz NOT NULL DEFAULT "
      "now())");
  connection.queue("SELECT coalesce(max(version), 0) FROM versions");
  const auto found = static_cast<std::size_t>(connection.run()[0].number(0, 0));
  const auto& steps = schema_steps();
  if (found > steps.size())
    throw JournalError(JournalError::Why::failed, "journal",
                       fmt::format("its tables have version {}, this program knows {}", found, steps.size()),
                       "use the newer program");
  for (std::size_t version = found; version < steps.size(); ++version) {
    connection.execute(steps[version]);
    connection.execute(fmt::format("INSERT INTO versions(version) VALUES ({})", version + 1));
  }
  connection.execute("COMMIT");
}

}  // namespace neuralts::serve
