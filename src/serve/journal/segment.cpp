#include "serve/journal/segment.hpp"

#include <limits>

namespace neuralts::serve {

namespace {

constexpr const char* schema = R"(
CREATE TABLE IF NOT EXISTS records(sequence INTEGER PRIMARY KEY, kind INTEGER NOT NULL, loop INTEGER NOT NULL,
                                   time INTEGER NOT NULL, target INTEGER NOT NULL, payload BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS names(name TEXT, loop INTEGER, sequence INTEGER NOT NULL, PRIMARY KEY(name, loop)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS keys(event INTEGER, key BLOB, sequence INTEGER NOT NULL, PRIMARY KEY(event, key)) WITHOUT ROWID;
)";

// Of the WAL, 8 KiB each: written back within the pause between two batches.
constexpr int log_pages = 128;

EventPlace place_of(const Statement& row) {
  return {static_cast<Sequence>(row.number(0)), static_cast<std::uint32_t>(row.number(1)), row.number(2)};
}

}  // namespace

SegmentIndex::SegmentIndex(Database& database, Sequence bound)
    : bound_(bound),
      event_(database.prepare("SELECT sequence, loop, time FROM records WHERE sequence=? AND kind=1")),
      named_(database.prepare(
          "SELECT r.sequence, r.loop, r.time FROM names n JOIN records r ON r.sequence=n.sequence "
          "WHERE n.name=? AND n.sequence<? LIMIT 2")),
      named_in_loop_(database.prepare(
          "SELECT r.sequence, r.loop, r.time FROM names n JOIN records r ON r.sequence=n.sequence "
          "WHERE n.name=? AND n.sequence<? AND n.loop=?")),
      key_(database.prepare("SELECT 1 FROM keys WHERE event=? AND key=? AND sequence<?")),
      payload_(database.prepare("SELECT payload FROM records WHERE sequence=?")),
      last_(database.prepare(
          "SELECT sequence, time FROM records WHERE sequence<? ORDER BY sequence DESC LIMIT 1")) {}

std::optional<EventPlace> SegmentIndex::event(Sequence sequence) {
  if (sequence >= bound_) return std::nullopt;
  Rows rows(event_.bind(1, bigint(sequence)));
  if (!rows.next()) return std::nullopt;
  return place_of(event_);
}

std::vector<EventPlace> SegmentIndex::named(const std::string& name, std::uint32_t loop) {
  Statement& statement = loop == 0 ? named_ : named_in_loop_;
  Rows rows(statement.bind_text(1, name).bind(2, bigint(bound_)));
  if (loop != 0) statement.bind(3, loop);
  std::vector<EventPlace> found;
  while (rows.next()) found.push_back(place_of(statement));
  return found;
}

bool SegmentIndex::has_key(Sequence event, const std::string& key) {
  Rows rows(key_.bind(1, bigint(event)).bind(2, key).bind(3, bigint(bound_)));
  return rows.next();
}

std::string SegmentIndex::payload(Sequence sequence) {
  Rows rows(payload_.bind(1, bigint(sequence)));
  return rows.next() ? std::string(payload_.bytes(0)) : std::string();
}

Sequence SegmentIndex::last() {
  Rows rows(last_.bind(1, bigint(bound_)));
  return rows.next() ? static_cast<Sequence>(last_.number(0)) : 0;
}

std::int64_t SegmentIndex::last_time_us() {
  Rows rows(last_.bind(1, bigint(bound_)));
  return rows.next() ? last_.number(1) : 0;
}

Segment::Segment(const std::string& path, const std::string& vfs, Sync sync)
    : database_(Database::writer(path, vfs, sync)) {
  database_.execute(schema);
  database_.write_back_later();
  index_ = SegmentIndex(database_, static_cast<Sequence>(std::numeric_limits<std::int64_t>::max()));
  begin_ = database_.prepare("BEGIN IMMEDIATE");
  commit_ = database_.prepare("COMMIT");
  insert_ = database_.prepare("INSERT INTO records VALUES(?,?,?,?,?,?)");
  name_ = database_.prepare("INSERT INTO names VALUES(?,?,?)");
  key_ = database_.prepare("INSERT INTO keys VALUES(?,?,?)");
}

void Segment::begin() { begin_.run(); }
void Segment::commit() { commit_.run(); }

void Segment::roll_back() {
  if (database_.in_transaction()) database_.execute("ROLLBACK");
}

void Segment::store(Sequence sequence, std::int64_t time_us, const Entry& entry) {
  const bool event = entry.kind == Kind::event;
  insert_.bind(1, bigint(sequence)).bind(2, static_cast<std::int64_t>(entry.kind));
  insert_.bind(3, event || entry.kind == Kind::tick ? entry.loop : entry.event_loop).bind(4, time_us);
  insert_.bind(5, bigint(entry.target)).bind(6, entry.payload).run();
  for (const std::string* name : {&entry.name, &entry.alias})
    if (event && !name->empty()) name_.bind_text(1, *name).bind(2, entry.loop).bind(3, bigint(sequence)).run();
  if (entry.target != 0) key_.bind(1, bigint(entry.target)).bind(2, entry.key).bind(3, bigint(sequence)).run();
}

void Segment::tidy() { database_.write_back(log_pages); }

std::uint64_t Segment::bytes() {
  auto pages = database_.prepare("PRAGMA page_count");
  pages.step();
  return static_cast<std::uint64_t>(pages.number(0)) * 8192;
}

}  // namespace neuralts::serve
