#include "serve/journal/postgres/batch_rows.hpp"

namespace neuralts::serve {

namespace {


}  // namespace

void queue_records(Connection& connection, const Merge& merge, std::int64_t segment, std::uint16_t writer) {
  std::vector<std::int64_t> sequences, kinds, loops, times, targets, writers, origins;
  std::vector<std::string_view> payloads;
  for (const MergeRow& row : merge.rows()) {
    sequences.push_back(bigint(row.sequence));
    kinds.push_back(static_cast<std::int64_t>(row.item->entry->kind));
    loops.push_back(row.loop);
    times.push_back(row.time_us);
    targets.push_back(bigint(row.target));
    writers.push_back(row.item->origin == 0 ? 0 : writer);
    origins.push_back(bigint(row.item->origin));
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
      sequences.push_back(bigint(row.sequence));
    }
    if (row.target == 0) continue;
    keys.push_back(entry.key);
    events.push_back(bigint(row.target));
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
    targets.push_back(bigint(entry.target));
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

}  // namespace neuralts::serve
