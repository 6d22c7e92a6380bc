#include "serve/journal/sqlite_reader.hpp"

#include <algorithm>

#include "serve/journal/whole_record.hpp"

namespace neuralts::serve {

namespace {

Record record_of(const Statement& row) {
  return whole_record(static_cast<Sequence>(row.number(0)), row.number(1), row.number(2), row.number(3),
                      static_cast<Sequence>(row.number(4)), row.bytes(5));
}

}  // namespace

/// One read of a file for several statements: each of its own would take and give back locks that who writes
/// waits for, and a reader stands behind everybody (standing_back.hpp).
class SqliteReader::Snapshot {
 public:
  explicit Snapshot(Open& segment) : segment_(segment) { segment_.begin.run(); }
  Snapshot(const Snapshot&) = delete;
  ~Snapshot() {
    try {
      segment_.end.run();
    } catch (const JournalError&) {  // nothing was read under it that is not whole
    }
  }

 private:
  Open& segment_;
};

SqliteReader::Open& SqliteReader::open(std::uint64_t number) {
  if (head_.number == number) return head_;
  if (found_.number == number) return found_;
  Open& place = number > head_.number ? head_ : found_;
  place = {};
  place.database = Database::reader(journal_.path(number), journal_.vfs());
  place.begin = place.database.prepare("BEGIN");
  place.end = place.database.prepare("COMMIT");
  place.all = place.database.prepare(
      "SELECT sequence, kind, loop, time, target, payload FROM records WHERE sequence>?1 AND sequence<=?2 "
      "AND loop IN (?3, 0) ORDER BY sequence LIMIT ?4");
  place.events = place.database.prepare(
      "SELECT sequence, kind, loop, time, target, payload FROM records WHERE sequence>?1 AND sequence<=?2 "
      "AND loop=?3 AND kind=1 ORDER BY sequence LIMIT ?4");
  place.one = place.database.prepare(
      "SELECT sequence, kind, loop, time, target, payload FROM records WHERE sequence=?");
  place.number = number;
  return place;
}

Sequence SqliteReader::read(Sequence after, std::size_t limit, std::uint32_t loop, Statement Open::*query,
                            std::vector<Record>& out) {
  const std::size_t wanted = out.size() + limit;
  // Before anything else is asked: what comes later waits for the next call.
  const Sequence durable = journal_.last();
  while (out.size() < wanted) {
    const auto [row, bound] = journal_.segment_of(after + 1);
    if (row.number == 0) return after;
    after = std::max(after, row.first - 1);
    Open& segment = open(row.number);
    const Sequence last = bound == 0 ? std::max(after, durable) : bound - 1;
    Statement& statement = segment.*query;
    const Snapshot snapshot(segment);
    Rows rows(statement.bind(1, bigint(after))
                  .bind(2, bigint(last))
                  .bind(3, loop)
                  .bind(4, bigint(wanted - out.size())));
    while (rows.next()) {
      out.push_back(record_of(statement));
      if (out.back().target >= row.first) keep_target(segment, out.back());
    }
    after = out.size() < wanted ? last : out.back().sequence;
    if (bound == 0) return after;
  }
  return after;
}

/// Whoever reads a reward asks for its event next.
void SqliteReader::keep_target(Open& segment, const Record& record) {
  if (targets_.contains(record.target)) return;
  Rows rows(segment.one.bind(1, bigint(record.target)));
  if (rows.next()) targets_.emplace(record.target, record_of(segment.one));
}

Sequence SqliteReader::read(Sequence after, std::size_t limit, std::uint32_t loop, std::vector<Record>& out) {
  targets_.clear();
  return read(after, limit, loop, &Open::all, out);
}

Sequence SqliteReader::read_events(Sequence after, std::size_t limit, std::uint32_t loop,
                                   std::vector<Record>& out) {
  return read(after, limit, loop, &Open::events, out);
}

std::optional<Record> SqliteReader::find(Sequence sequence) {
  if (const auto kept = targets_.find(sequence); kept != targets_.end()) return kept->second;
  const auto [row, bound] = journal_.segment_of(sequence);
  if (row.number == 0 || sequence < row.first || sequence >= (bound == 0 ? journal_.last() + 1 : bound))
    return std::nullopt;
  Open& segment = open(row.number);
  Rows rows(segment.one.bind(1, bigint(sequence)));
  if (!rows.next()) return std::nullopt;
  return record_of(segment.one);
}

}  // namespace neuralts::serve
