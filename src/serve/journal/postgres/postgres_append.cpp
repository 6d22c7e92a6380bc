// One batch, one transaction, two to three round trips: hold the head and look up; look up keys; store and
// commit.
#include <fmt/format.h>

#include <algorithm>

#include "serve/journal/postgres/postgres_journal.hpp"

namespace neuralts::serve {

namespace {

constexpr const char* head_sql =
    "SELECT next, time, segment, segment_first, segment_time, (extract(epoch FROM clock_timestamp()) * "
    "1000000)::bigint "
    "FROM head WHERE one = 1 FOR UPDATE";
// Every lookup is a LATERAL with a LIMIT: so each row asked for is one probe of an index, whatever the
// planner believes of tables that it has no statistics of yet.
constexpr const char* names_sql =
    "SELECT n.name, n.sequence, n.segment, n.loop, r.time FROM unnest($1) AS w(name) CROSS JOIN LATERAL "
    "(SELECT * FROM names n WHERE n.name = w.name AND n.segment >= (SELECT coalesce(max(number), 0) FROM "
    "segments WHERE first_time <= $2) "
    "ORDER BY n.sequence DESC LIMIT 100) n CROSS JOIN LATERAL "
    "(SELECT time FROM records r WHERE r.segment = n.segment AND r.sequence = n.sequence LIMIT 1) r ORDER BY "
    "n.sequence DESC";
constexpr const char* events_sql =
    "SELECT e.target, r.sequence, r.segment, r.loop, r.time FROM unnest($1) AS e(target) CROSS JOIN LATERAL "
    "(SELECT number FROM segments WHERE first <= e.target ORDER BY number DESC LIMIT 1) s CROSS JOIN LATERAL "
    "(SELECT * FROM records r WHERE r.segment = s.number AND r.sequence = e.target AND r.kind = 1 LIMIT 1) r";
constexpr const char* origins_sql =
    "SELECT e.writer, e.origin, r.sequence, r.segment, r.loop, r.time FROM unnest($1, $2) AS e(writer, "
    "origin) CROSS JOIN LATERAL "
    "(SELECT segment FROM writer_segments w WHERE w.writer = e.writer AND w.first <= e.origin ORDER BY first "
    "DESC LIMIT 1) s "
    "CROSS JOIN LATERAL (SELECT * FROM records r WHERE r.segment = s.segment AND r.origin = e.origin AND "
    "r.writer = e.writer "
    "AND r.writer <> 0 AND r.kind = 1 LIMIT 1) r";
constexpr const char* keys_sql =
    "SELECT k.event, k.segment, k.key FROM unnest($1, $2, $3) AS w(event, segment, key) CROSS JOIN LATERAL "
    "(SELECT * FROM keys k WHERE k.event = w.event AND k.key = w.key AND k.segment = w.segment LIMIT 1) k";
constexpr const char* waiting_columns =
    "SELECT id, writer, target, name, loop, kind, key, payload, time FROM waiting ";

std::int64_t number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

MergePlace place_of(const Table& table, std::size_t row, int column) {
  return {static_cast<Sequence>(table.number(row, column)), table.number(row, column + 1),
          static_cast<std::uint32_t>(table.number(row, column + 2)), table.number(row, column + 3)};
}

std::vector<std::string_view> views(const std::set<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

/// What a merge has to know, asked for and told. The order of queue_() and tell_() is one.
class Lookup {
 public:
  Lookup(const std::vector<MergeItem>& items, std::uint16_t writer, std::int64_t names_us)
      : wanted_(items, writer), writer_(writer) {
    for (const MergeItem& item : items) {
      if (item.entry->kind != Kind::event) continue;
      for (const std::string* name : {&item.entry->name, &item.entry->alias})
        if (!name->empty()) event_names_.insert(*name);
      if (item.origin != 0) last_origin_ = item.origin;
      if (item.origin != 0 && first_origin_ == 0) first_origin_ = item.origin;
    }
    names_from_us_ = (items.empty() ? 0 : items.back().time_us) - names_us;
  }

  void queue(Connection& connection) {
    if (!wanted_.names().empty())
      connection.queue(names_sql, Parameters().texts(views(wanted_.names())).number(names_from_us_));
    std::vector<std::int64_t> own, writers, origins;
    for (const MergeOrigin& event : wanted_.events()) {
      if (event.writer == 0) {
        own.push_back(number(event.sequence));
      } else {
        writers.push_back(event.writer);
        origins.push_back(number(event.sequence));
      }
    }
    if (has_own_ = !own.empty(); has_own_) connection.queue(events_sql, Parameters().numbers(own));
    if (has_origins_ = !origins.empty(); has_origins_)
      connection.queue(origins_sql, Parameters().numbers(writers).numbers(origins));
    if (!event_names_.empty())
      connection.queue(std::string(waiting_columns) + "WHERE name = ANY($1) AND target = 0 ORDER BY id",
                       Parameters().texts(views(event_names_)));
    if (first_origin_ != 0)
      connection.queue(
          std::string(waiting_columns) +
              "WHERE name = ''::bytea AND target BETWEEN $1 AND $2 AND writer = $3 ORDER BY id",
          Parameters().number(number(first_origin_)).number(number(last_origin_)).number(writer_));
  }

  /// `tables` from `at` on are the answers. What waited for the events of the batch comes first: it joins the
  /// batch.
  std::vector<std::int64_t> take_waiting(const std::vector<Table>& tables, std::size_t at,
                                         std::vector<Parcel>& found) const {
    at += !wanted_.names().empty() + has_own_ + has_origins_;
    std::vector<std::int64_t> ids;
    for (; at < tables.size(); ++at)
      for (std::size_t row = 0; row < tables[at].rows(); ++row) {
        const Table& t = tables[at];
        ids.push_back(t.number(row, 0));
        Entry& entry = found.emplace_back().entry;
        entry.writer = static_cast<std::uint16_t>(t.number(row, 1));
        entry.target = static_cast<Sequence>(t.number(row, 2));
        entry.name = t.bytes(row, 3);
        entry.loop = static_cast<std::uint32_t>(t.number(row, 4));
        entry.kind = static_cast<Kind>(t.number(row, 5));
        entry.key = t.bytes(row, 6);
        entry.payload = t.bytes(row, 7);
        found.back().time_us = t.number(row, 8);
      }
    return ids;
  }

  void tell(const std::vector<Table>& tables, std::size_t at, Merge& merge) const {
    if (!wanted_.names().empty()) {
      const Table& t = tables[at++];
      for (std::size_t row = 0; row < t.rows(); ++row)
        merge.know_name(std::string(t.bytes(row, 0)), place_of(t, row, 1));
    }
    if (has_own_) {
      const Table& t = tables[at++];
      for (std::size_t row = 0; row < t.rows(); ++row)
        merge.know_event({0, static_cast<Sequence>(t.number(row, 0))}, place_of(t, row, 1));
    }
    if (!has_origins_) return;
    const Table& t = tables[at];
    for (std::size_t row = 0; row < t.rows(); ++row)
      merge.know_event(
          {static_cast<std::uint16_t>(t.number(row, 0)), static_cast<Sequence>(t.number(row, 1))},
          place_of(t, row, 2));
  }

 private:
  Merge wanted_;
  std::uint16_t writer_;
  std::set<std::string> event_names_;
  Sequence first_origin_ = 0, last_origin_ = 0;
  std::int64_t names_from_us_ = 0;
  bool has_own_ = false, has_origins_ = false;
};

void look_up_keys(Connection& connection, Merge& merge) {
  const auto keys = merge.keys();
  if (keys.empty()) return;
  std::vector<std::int64_t> events, segments;
  std::vector<std::string_view> texts;
  for (const MergeKey& key : keys) {
    events.push_back(number(key.event));
    segments.push_back(key.segment);
    texts.push_back(key.key);
  }
  connection.queue(keys_sql, Parameters().numbers(events).numbers(segments).texts(texts));
  const auto tables = connection.run();
  for (std::size_t row = 0; row < tables[0].rows(); ++row)
    merge.know_key({static_cast<Sequence>(tables[0].number(row, 0)), tables[0].number(row, 1),
                    std::string(tables[0].bytes(row, 2))});
}

void queue_records(Connection& connection, const Merge& merge, std::int64_t segment, std::uint16_t writer) {
  std::vector<std::int64_t> sequences, kinds, loops, times, targets, writers, origins;
  std::vector<std::string_view> payloads;
  for (const MergeRow& row : merge.rows()) {
    sequences.push_back(number(row.sequence));
    kinds.push_back(static_cast<std::int64_t>(row.item->entry->kind));
    loops.push_back(row.loop);
    times.push_back(row.time_us);
    targets.push_back(number(row.target));
    writers.push_back(row.item->origin == 0 ? 0 : writer);
    origins.push_back(number(row.item->origin));
    payloads.push_back(row.item->entry->payload);
  }
  connection.queue(
      "INSERT INTO records(segment, sequence, kind, loop, time, target, writer, origin, payload) "
      "SELECT $1, t.* FROM unnest($2, $3, $4, $5, $6, $7, $8, $9) AS t",
      Parameters()
          .number(segment)
          .numbers(sequences)
          .numbers(kinds)
          .numbers(loops)
          .numbers(times)
          .numbers(targets)
          .numbers(writers)
          .numbers(origins)
          .texts(payloads));
}

void queue_names_and_keys(Connection& connection, const Merge& merge, std::int64_t segment) {
  std::vector<std::int64_t> loops, sequences, events, segments;
  std::vector<std::string_view> names, keys;
  for (const MergeRow& row : merge.rows()) {
    const Entry& entry = *row.item->entry;
    for (const std::string* name : {&entry.name, &entry.alias}) {
      if (entry.kind != Kind::event || name->empty()) continue;
      names.push_back(*name);
      loops.push_back(row.loop);
      sequences.push_back(number(row.sequence));
    }
    if (row.target == 0) continue;
    keys.push_back(entry.key);
    events.push_back(number(row.target));
    segments.push_back(row.target_segment);
  }
  if (!names.empty())
    connection.queue(
        "INSERT INTO names(segment, name, loop, sequence) SELECT $1, t.* FROM unnest($2, $3, $4) AS t ON "
        "CONFLICT DO NOTHING",
        Parameters().number(segment).texts(names).numbers(loops).numbers(sequences));
  if (!keys.empty())
    connection.queue("INSERT INTO keys(event, segment, key) SELECT * FROM unnest($1, $2, $3)",
                     Parameters().numbers(events).numbers(segments).texts(keys));
}

void queue_waiting(Connection& connection, const Merge& merge, const std::vector<std::int64_t>& ended) {
  if (!ended.empty()) connection.queue("DELETE FROM waiting WHERE id = ANY($1)", Parameters().numbers(ended));
  if (merge.waiting().empty()) return;
  std::vector<std::int64_t> writers, targets, loops, kinds, times;
  std::vector<std::string_view> names, keys, payloads;
  for (const MergeItem* item : merge.waiting()) {
    const Entry& entry = *item->entry;
    writers.push_back(entry.writer);
    targets.push_back(number(entry.target));
    names.push_back(entry.target == 0 ? std::string_view(entry.name) : std::string_view());
    loops.push_back(entry.loop);
    kinds.push_back(static_cast<std::int64_t>(entry.kind));
    keys.push_back(entry.key);
    payloads.push_back(entry.payload);
    times.push_back(item->time_us);
  }
  connection.queue(
      "INSERT INTO waiting(writer, target, name, loop, kind, key, payload, time) "
      "SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
      Parameters()
          .numbers(writers)
          .numbers(targets)
          .texts(names)
          .numbers(loops)
          .numbers(kinds)
          .texts(keys)
          .texts(payloads)
          .numbers(times));
}

/// What was stored the first time, for events whose name was there.
void fill_first_payloads(Connection& connection, const std::vector<MergeItem>& items, const Merge& merge) {
  std::vector<std::int64_t> sequences;
  for (const MergeItem& item : items)
    if (item.entry->kind == Kind::event && item.entry->outcome == Outcome::duplicate)
      sequences.push_back(number(item.entry->sequence));
  if (sequences.empty()) return;
  std::map<Sequence, std::string> payloads;
  for (const MergeRow& row : merge.rows()) payloads[row.sequence] = row.item->entry->payload;
  connection.queue(
      "SELECT r.sequence, r.payload FROM unnest($1) AS e(target) CROSS JOIN LATERAL "
      "(SELECT number FROM segments WHERE first <= e.target ORDER BY number DESC LIMIT 1) s CROSS JOIN "
      "LATERAL "
      "(SELECT * FROM records r WHERE r.segment = s.number AND r.sequence = e.target LIMIT 1) r",
      Parameters().numbers(sequences));
  const auto tables = connection.run();
  for (std::size_t row = 0; row < tables[0].rows(); ++row)
    payloads[static_cast<Sequence>(tables[0].number(row, 0))] = tables[0].bytes(row, 1);
  for (const MergeItem& item : items)
    if (item.entry->kind == Kind::event && item.entry->outcome == Outcome::duplicate)
      item.entry->first_payload = payloads[item.entry->sequence];
}

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
  Sequence shipped = 0;      // set when it is stored
  bool committing = false;   // the commit is on its way
  std::int64_t segment = 0;  // set when it is stored
  Sequence last = 0;
};

void PostgresJournal::append(std::span<Entry> entries, std::int64_t now_us) {
  Batch batch;
  for (Entry& entry : entries) batch.items.push_back({&entry, 0, now_us, entry.writer != 0});
  store(batch);
}

Sequence PostgresJournal::ship(std::uint16_t writer, std::span<Parcel> parcels) {
  Batch batch;
  batch.writer = writer;
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
  connection.queue("BEGIN");
  if (!options_.synchronous) connection.queue("SET LOCAL synchronous_commit TO off");
  connection.queue(head_sql);
  if (batch.writer != 0)
    connection.queue("SELECT shipped FROM writers WHERE writer = $1", Parameters().number(batch.writer));
  Lookup lookup(batch.items, batch.writer, options_.names_us);
  lookup.queue(connection);
  const auto tables = connection.run();
  std::size_t at = options_.synchronous ? 1 : 2;
  const Table& row = tables[at++];
  Head head{{static_cast<Sequence>(row.number(0, 0)), row.number(0, 1), row.number(0, 5), row.number(0, 2)},
            static_cast<Sequence>(row.number(0, 3)),
            row.number(0, 4)};
  if (batch.writer != 0) {
    if (tables[at].rows() == 0)
      throw ContractError(fmt::format("ship: writer {} is not registered", batch.writer));
    batch.shipped = static_cast<Sequence>(tables[at++].number(0, 0));
    std::erase_if(batch.items, [&](const MergeItem& item) { return item.origin <= batch.shipped; });
    if (!batch.items.empty() && batch.items.front().origin != batch.shipped + 1)
      throw ContractError(fmt::format("ship: {} follows {}", batch.items.front().origin, batch.shipped));
  }
  std::vector<Parcel> waited;
  const auto ended = lookup.take_waiting(tables, at, waited);
  for (Parcel& parcel : waited) batch.items.push_back({&parcel.entry, 0, parcel.time_us, true});
  if (batch.items.empty()) return connection.execute("ROLLBACK");
  start_segment(connection, head, batch.items.front().time_us);

  const Sequence shipped_to =
      batch.writer == 0 ? 0 : batch.items[batch.items.size() - waited.size() - 1].origin;
  Merge merge(batch.items, batch.writer);
  lookup.tell(tables, at, merge);
  look_up_keys(connection, merge);
  merge.finish(head.end);
  if (batch.writer == 0) fill_first_payloads(connection, batch.items, merge);

  if (!merge.rows().empty()) queue_records(connection, merge, head.end.segment, batch.writer);
  queue_names_and_keys(connection, merge, head.end.segment);
  queue_waiting(connection, merge, ended);
  connection.queue("UPDATE head SET next = $1, time = $2 WHERE one = 1",
                   Parameters().number(number(head.end.next)).number(head.end.time_us));
  if (batch.writer == 0) {
    connection.queue(
        "INSERT INTO appenders VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET batch = $2, time = $3",
        Parameters().number(instance_).number(batch_).number(head.end.time_us));
  } else {
    connection.queue("UPDATE writers SET shipped = $2 WHERE writer = $1",
                     Parameters().number(batch.writer).number(number(shipped_to)));
    connection.queue(
        "INSERT INTO writer_segments VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        Parameters().number(batch.writer).number(number(batch.shipped + 1)).number(head.end.segment));
  }
  connection.queue("COMMIT");
  batch.committing = true;
  connection.run();
  if (batch.writer != 0) batch.shipped = shipped_to;
  batch.segment = head.end.segment;
  batch.last = head.end.next - 1;
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
                   Parameters().number(n).number(number(head.end.next)).number(time_us));
  connection.queue("UPDATE head SET segment = $1, segment_first = $2, segment_time = $3 WHERE one = 1",
                   Parameters().number(n).number(number(head.end.next)).number(time_us));
  connection.run();
}

}  // namespace neuralts::serve
