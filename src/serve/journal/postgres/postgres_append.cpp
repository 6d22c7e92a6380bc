// One batch, one transaction, two to three round trips: hold the head and look up; look up keys; store and
// commit.
#include <fmt/format.h>

#include <algorithm>

#include "serve/journal/postgres/batch_lookup.hpp"
#include "serve/journal/postgres/batch_rows.hpp"
#include "serve/journal/postgres/postgres_journal.hpp"

namespace neuralts::serve {

namespace {

constexpr const char* head_sql =
    "SELECT next, time, segment, segment_first, segment_time, (extract(epoch FROM clock_timestamp()) * "
    "1000000)::bigint "
    "FROM head WHERE one = 1 FOR UPDATE";

}  // namespace

struct PostgresJournal::Head {
  MergeHead end;
  Sequence segment_first = 0;
  std::int64_t segment_time_us = 0;
};

/// What is stored at once: entries of this process, or parcels of a writer's spool.
struct PostgresJournal::Batch {
  std::vector<MergeItem> items;
  std::uint16_t writer = 0;
  Sequence sent = 0;         // the writer's last record that may be there
  Sequence shipped = 0;      // set when it is stored
  bool committing = false;   // the commit is on its way
  std::int64_t segment = 0;  // set when it is stored
  Sequence last = 0;

  /// `row`: how far the writer's are stored.
  void skip_shipped(const Table& row);
};

/// The head, and the answers to a lookup: `tables` from `at` on.
struct PostgresJournal::Held {
  Head head;
  std::vector<Table> tables;
  std::size_t at = 0;
};

void PostgresJournal::append(std::span<Entry> entries, std::int64_t now_us) {
  Batch batch;
  for (Entry& entry : entries) batch.items.push_back({&entry, 0, now_us, entry.writer != 0});
  store(batch);
}

Sequence PostgresJournal::ship(std::uint16_t writer, std::span<Parcel> parcels, Sequence sent) {
  Batch batch;
  batch.writer = writer;
  batch.sent = sent;
  for (Parcel& parcel : parcels) batch.items.push_back({&parcel.entry, parcel.origin, parcel.time_us, true});
  store(batch);
  return batch.shipped;
}

/// A connection that was lost before the commit was sent has stored nothing; one that was lost later is asked
/// about.
void PostgresJournal::store(Batch& batch) try {
  const std::vector<MergeItem> items = batch.items;
  if (batch.writer == 0) ++batch_;
  for (int tries = 0;; ++tries) {
    batch.committing = false;
    batch.items = items;
    try {
      pool_.with(
          [&](Connection& connection) {
            store_once(connection, batch);
            return true;
          },
          false);
      break;
    } catch (const ConnectionLost&) {
      if (batch.committing && batch.writer == 0 && committed()) break;
      if (batch.committing && batch.writer != 0) batch.sent = std::max(batch.sent, items.back().origin);
      if (tries == 2) throw;
    }
  }
  failed_ = false;
  note_stored(batch);
} catch (const JournalError&) {
  failed_ = true;
  throw;
}

void PostgresJournal::store_once(Connection& connection, Batch& batch) {
  BatchLookup lookup(batch.items, batch.writer, options_.names_us);
  auto [head, tables, at] = hold_head(connection, batch, lookup);
  const Sequence shipped_to = batch.items.empty() ? batch.shipped : batch.items.back().origin;
  std::vector<Parcel> waited;
  const auto ended = lookup.take_waiting(tables, at, waited);
  for (Parcel& parcel : waited) batch.items.push_back({&parcel.entry, 0, parcel.time_us, true});
  if (batch.items.empty()) return connection.execute("ROLLBACK");
  start_segment(connection, head, batch.items.front().time_us);

  Merge merge(batch.items, batch.writer);
  lookup.tell(tables, at, merge);
  look_up_keys(connection, merge);
  merge.finish(head.end);
  if (batch.writer == 0) fill_first_payloads(connection, batch.items, merge);

  if (!merge.rows().empty()) queue_records(connection, merge, head.end.segment, batch.writer);
  queue_names_and_keys(connection, merge, head.end.segment);
  queue_waiting(connection, merge, ended);
  queue_progress(connection, batch, head.end, shipped_to);
  connection.queue("COMMIT");
  batch.committing = true;
  connection.run();
  if (batch.writer != 0) batch.shipped = shipped_to;
  batch.segment = head.end.segment;
  batch.last = head.end.next - 1;
}

/// From here on nobody else stores anything. Of a writer's parcels those stay in the batch that are not stored yet.
PostgresJournal::Held PostgresJournal::hold_head(Connection& connection, Batch& batch, BatchLookup& lookup) {
  connection.queue("BEGIN");
  if (!options_.synchronous) connection.queue("SET LOCAL synchronous_commit TO off");
  connection.queue(head_sql);
  if (batch.writer != 0)
    connection.queue("SELECT shipped FROM writers WHERE writer = $1", Parameters().number(batch.writer));
  lookup.queue(connection);
  Held held{{}, connection.run(), std::size_t{options_.synchronous ? 1U : 2U}};
  const Table& row = held.tables[held.at++];
  held.head = {{static_cast<Sequence>(row.number(0, 0)), row.number(0, 1), row.number(0, 5), row.number(0, 2)},
               static_cast<Sequence>(row.number(0, 3)),
               row.number(0, 4)};
  if (batch.writer != 0) batch.skip_shipped(held.tables[held.at++]);
  return held;
}

void PostgresJournal::Batch::skip_shipped(const Table& row) {
  if (row.rows() == 0) throw ContractError(fmt::format("ship: writer {} is not registered", writer));
  shipped = static_cast<Sequence>(row.number(0, 0));
  if (shipped > sent) throw NumberTaken(writer, shipped, sent);
  std::erase_if(items, [&](const MergeItem& item) { return item.origin <= shipped; });
  if (!items.empty() && items.front().origin != shipped + 1)
    throw ContractError(fmt::format("ship: {} follows {}", items.front().origin, shipped));
}

/// How far the journal goes with this batch, and whoever stored it.
void PostgresJournal::queue_progress(Connection& connection, const Batch& batch, const MergeHead& end,
                                     Sequence shipped_to) const {
  connection.queue("UPDATE head SET next = $1, time = $2 WHERE one = 1",
                   Parameters().number(bigint(end.next)).number(end.time_us));
  if (batch.writer == 0) {
    connection.queue(
        "INSERT INTO appenders VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET batch = $2, time = $3",
        Parameters().number(instance_).number(batch_).number(end.time_us));
    return;
  }
  connection.queue("UPDATE writers SET shipped = $2 WHERE writer = $1",
                   Parameters().number(batch.writer).number(bigint(shipped_to)));
  connection.queue("INSERT INTO writer_segments VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                   Parameters().number(batch.writer).number(bigint(batch.shipped + 1)).number(end.segment));
}

/// What this process has stored its own readers see at once.
void PostgresJournal::note_stored(const Batch& batch) {
  if (batch.last == 0) return;
  {
    const std::lock_guard lock(look_mutex_);
    if (!segments_.empty() && segments_.back().number == batch.segment) {
      last_ = std::max(last_.load(), batch.last);
      return;
    }
  }
  try {
    look();  // a segment that is not known yet: nobody must read past the old one's end
  } catch (const JournalError&) {
  }
}

/// Was the batch stored whose commit was on its way when the connection went? Waits for whoever holds the
/// head.
bool PostgresJournal::committed() {
  return pool_.make_and_use([&](Connection& connection) {
    connection.queue("BEGIN");
    connection.queue(head_sql);
    connection.queue("SELECT batch FROM appenders WHERE name = $1", Parameters().number(instance_));
    connection.queue("COMMIT");
    const auto tables = connection.run();
    return tables[2].rows() == 1 && tables[2].number(0, 0) == batch_;
  });
}

/// A new one when it is time, or when there is none.
void PostgresJournal::start_segment(Connection& connection, Head& head, std::int64_t time_us) {
  time_us = std::max(head.end.time_us, std::min(time_us, head.end.time_us_max));
  const bool due =
      time_us - head.segment_time_us >= options_.segment_us_max && head.end.next != head.segment_first;
  if (head.end.segment != 0 && !due) return;
  const std::int64_t n = ++head.end.segment;
  for (const char* table : {"records", "names", "keys"})
    connection.execute(fmt::format("CREATE TABLE {0}_{1} PARTITION OF {0} FOR VALUES IN ({1})", table, n));
  connection.queue("INSERT INTO segments VALUES ($1, $2, $3)",
                   Parameters().number(n).number(bigint(head.end.next)).number(time_us));
  connection.queue("UPDATE head SET segment = $1, segment_first = $2, segment_time = $3 WHERE one = 1",
                   Parameters().number(n).number(bigint(head.end.next)).number(time_us));
  connection.run();
}

}  // namespace neuralts::serve
