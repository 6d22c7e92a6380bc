#include "serve/journal/postgres/postgres_reader.hpp"

#include <algorithm>

#include "serve/journal/whole_record.hpp"

namespace neuralts::serve {

namespace {

constexpr const char* all_sql =
    "SELECT sequence, kind, loop, time, target, payload FROM records WHERE segment = $1 AND sequence > $2 "
    "AND sequence <= $3 AND loop IN ($4, 0) ORDER BY sequence LIMIT $5";
constexpr const char* events_sql =
    "SELECT sequence, kind, loop, time, target, payload FROM records WHERE segment = $1 AND sequence > $2 "
    "AND sequence <= $3 AND loop = $4 AND kind = 1 ORDER BY sequence LIMIT $5";
constexpr const char* some_sql =
    "SELECT r.sequence, r.kind, r.loop, r.time, r.target, r.payload FROM unnest($1) AS e(target) "
    "CROSS JOIN LATERAL (SELECT number FROM segments WHERE first <= e.target ORDER BY number DESC LIMIT 1) s "
    "CROSS JOIN LATERAL (SELECT * FROM records r WHERE r.segment = s.number AND r.sequence = e.target LIMIT 1) r";

Record record_of(const Table& table, std::size_t row) {
  return whole_record(static_cast<Sequence>(table.number(row, 0)), table.number(row, 1), table.number(row, 2),
                      table.number(row, 3), static_cast<Sequence>(table.number(row, 4)), table.bytes(row, 5));
}


}  // namespace

Sequence PostgresReader::read(Sequence after, std::size_t limit, std::uint32_t loop, const char* sql,
                              std::vector<Record>& out) {
  const std::size_t wanted = out.size() + limit;
  const Sequence last =
      journal_.last();  // before anything else is asked: what comes later waits for the next call
  while (out.size() < wanted && after < last) {
    const auto segment = journal_.segment_of(after + 1);
    if (segment.number == 0) return after;
    after = std::max(after, segment.first - 1);
    const Sequence end = segment.bound == 0 ? std::max(after, last) : segment.bound - 1;
    journal_.pool().with([&](Connection& connection) {
      connection.queue(sql, Parameters()
                                .number(segment.number)
                                .number(bigint(after))
                                .number(bigint(end))
                                .number(loop)
                                .number(bigint(wanted - out.size())));
      const auto tables = connection.run();
      for (std::size_t row = 0; row < tables[0].rows(); ++row) out.push_back(record_of(tables[0], row));
      return true;
    });
    after = out.size() < wanted ? end : out.back().sequence;
    if (segment.bound == 0) return after;
  }
  return after;
}

Sequence PostgresReader::read(Sequence after, std::size_t limit, std::uint32_t loop,
                              std::vector<Record>& out) {
  const std::size_t from = out.size();
  const Sequence seen = read(after, limit, loop, all_sql, out);
  fetch_targets(out, from);
  return seen;
}

Sequence PostgresReader::read_events(Sequence after, std::size_t limit, std::uint32_t loop,
                                     std::vector<Record>& out) {
  return read(after, limit, loop, events_sql, out);
}

void PostgresReader::fetch_targets(const std::vector<Record>& records, std::size_t from) {
  std::vector<std::int64_t> wanted;
  targets_.clear();
  for (std::size_t i = from; i < records.size(); ++i) {
    if (records[i].kind == Kind::event) targets_[records[i].sequence] = records[i];
    if (records[i].target != 0) wanted.push_back(bigint(records[i].target));
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::erase_if(wanted,
                [&](std::int64_t target) { return targets_.count(static_cast<Sequence>(target)) > 0; });
  if (wanted.empty()) return;
  journal_.pool().with([&](Connection& connection) {
    connection.queue(some_sql, Parameters().numbers(wanted));
    const auto tables = connection.run();
    for (std::size_t row = 0; row < tables[0].rows(); ++row) {
      Record record = record_of(tables[0], row);
      targets_[record.sequence] = std::move(record);
    }
    return true;
  });
}

std::optional<Record> PostgresReader::find(Sequence sequence) {
  if (const auto known = targets_.find(sequence); known != targets_.end()) return known->second;
  if (sequence == 0) return std::nullopt;
  return journal_.pool().with([&](Connection& connection) -> std::optional<Record> {
    connection.queue(some_sql, Parameters().numbers({bigint(sequence)}));
    const auto tables = connection.run();
    if (tables[0].rows() == 0) return std::nullopt;
    return record_of(tables[0], 0);
  });
}

}  // namespace neuralts::serve
