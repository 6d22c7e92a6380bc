#include "serve/journal/postgres/batch_lookup.hpp"

namespace neuralts::serve {

namespace {

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


MergePlace place_of(const Table& table, std::size_t row, int column) {
  return {static_cast<Sequence>(table.number(row, column)), table.number(row, column + 1),
          static_cast<std::uint32_t>(table.number(row, column + 2)), table.number(row, column + 3)};
}

std::vector<std::string_view> views(const std::set<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace

BatchLookup::BatchLookup(const std::vector<MergeItem>& items, std::uint16_t writer, std::int64_t names_us)
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

void BatchLookup::queue(Connection& connection) {
  if (!wanted_.names().empty())
    connection.queue(names_sql, Parameters().texts(views(wanted_.names())).number(names_from_us_));
  std::vector<std::int64_t> own, writers, origins;
  for (const MergeOrigin& event : wanted_.events()) {
    if (event.writer == 0) {
      own.push_back(bigint(event.sequence));
    } else {
      writers.push_back(event.writer);
      origins.push_back(bigint(event.sequence));
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
        Parameters().number(bigint(first_origin_)).number(bigint(last_origin_)).number(writer_));
}

std::vector<std::int64_t> BatchLookup::take_waiting(const std::vector<Table>& tables, std::size_t at,
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

void BatchLookup::tell(const std::vector<Table>& tables, std::size_t at, Merge& merge) const {
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

void look_up_keys(Connection& connection, Merge& merge) {
  const auto keys = merge.keys();
  if (keys.empty()) return;
  std::vector<std::int64_t> events, segments;
  std::vector<std::string_view> texts;
  for (const MergeKey& key : keys) {
    events.push_back(bigint(key.event));
    segments.push_back(key.segment);
    texts.push_back(key.key);
  }
  connection.queue(keys_sql, Parameters().numbers(events).numbers(segments).texts(texts));
  const auto tables = connection.run();
  for (std::size_t row = 0; row < tables[0].rows(); ++row)
    merge.know_key({static_cast<Sequence>(tables[0].number(row, 0)), tables[0].number(row, 1),
                    std::string(tables[0].bytes(row, 2))});
}

void fill_first_payloads(Connection& connection, const std::vector<MergeItem>& items, const Merge& merge) {
  std::vector<std::int64_t> sequences;
  for (const MergeItem& item : items)
    if (item.entry->kind == Kind::event && item.entry->outcome == Outcome::duplicate)
      sequences.push_back(bigint(item.entry->sequence));
  if (sequences.empty()) return;
  std::map<Sequence, std::string> payloads;
  for (const MergeRow& row : merge.rows()) payloads[row.sequence] = row.item->entry->payload;
  connection.queue(
      "SELECT r.sequence, r.payload FROM unnest($1) AS e(target) "
      "CROSS JOIN LATERAL (SELECT number FROM segments WHERE first <= e.target ORDER BY number DESC LIMIT 1) s "
      "CROSS JOIN LATERAL (SELECT * FROM records r WHERE r.segment = s.number AND r.sequence = e.target LIMIT 1) r",
      Parameters().numbers(sequences));
  const auto tables = connection.run();
  for (std::size_t row = 0; row < tables[0].rows(); ++row)
    payloads[static_cast<Sequence>(tables[0].number(row, 0))] = tables[0].bytes(row, 1);
  for (const MergeItem& item : items)
    if (item.entry->kind == Kind::event && item.entry->outcome == Outcome::duplicate)
      item.entry->first_payload = payloads[item.entry->sequence];
}

}  // namespace neuralts::serve
