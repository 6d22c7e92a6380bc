#include "serve/journal/sqlite_journal.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "serve/journal/sqlite_reader.hpp"

namespace neuralts::serve {

void make_folder(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) throw Error(ErrorCode::io, folder, problem.message(), "choose another folder with --dir");
  const std::string parent = fs::absolute(folder).parent_path().string();
  if (const int descriptor = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY); descriptor >= 0) {
    ::fsync(descriptor);
    ::close(descriptor);
  }
}

SqliteJournal::SqliteJournal(const std::string& folder, const SqliteOptions& options)
    : folder_(folder),
      options_(options),
      state_(folder + "/state.db", options.vfs, options.sync),
      rows_(state_.segments()) {
  if (!rows_.empty()) open_newest();
}

void SqliteJournal::open_newest() {
  const SegmentRow& row = rows_.back();
  newest_ = std::make_unique<Segment>(path(row.number), options_.vfs, options_.sync);
  const Sequence last = newest_->index().last();
  next_ = last == 0 ? row.first : last + 1;
  last_time_us_ = std::max(row.first_time_us, newest_->index().last_time_us());
  newest_bytes_ = newest_->bytes();
}

// The file is made before the catalogue names it; a file that a crash left behind unnamed is taken up as it is:
// empty.
void SqliteJournal::start_segment(std::int64_t now_us) {
  newest_.reset();
  const SegmentRow row{rows_.empty() ? 1 : rows_.back().number + 1, next_, std::max(now_us, last_time_us_)};
  auto made = std::make_unique<Segment>(path(row.number), options_.vfs, options_.sync);
  if (made->index().last() != 0)
    throw JournalError(JournalError::Why::failed, path(row.number), "holds records that no catalogue knows",
                       "move it away");
  state_.add_segment(row);
  const std::lock_guard lock(rows_mutex_);
  rows_.push_back(row);
  newest_ = std::move(made);
}

bool SqliteJournal::rotation_due(std::int64_t now_us) {
  if (now_us - rows_.back().first_time_us >= options_.segment_us_max) return next_ != rows_.back().first;
  if (++appends_ % 64 != 0) return false;
  newest_bytes_ = newest_->bytes();
  return newest_bytes_ >= options_.segment_bytes_max;
}

void SqliteJournal::append(std::span<Entry> batch, std::int64_t now_us) {
  const std::int64_t time_us = std::max(now_us, last_time_us_);
  Sequence next = next_;
  try {
    if (!newest_ || rotation_due(time_us)) start_segment(time_us);
    newest_->begin();
    for (Entry& entry : batch) apply(entry, next, time_us);
    newest_->commit();
  } catch (const JournalError& error) {
    failed_ = true;
    if (error.why() == JournalError::Why::failed) {
      abandon();
      throw;
    }
    try {
      if (newest_) newest_->roll_back();
    } catch (const JournalError&) {
      abandon();
    }
    throw;
  }
  next_ = next;
  last_time_us_ = time_us;
  failed_ = false;
}

// What the WAL holds stays there when it cannot be written back. A full disk may have room later; of one that
// fails no more is asked.
void SqliteJournal::tidy() {
  try {
    if (newest_) newest_->tidy();
  } catch (const JournalError& error) {
    if (error.why() == JournalError::Why::failed) abandon();
  }
}

void SqliteJournal::abandon() {
  newest_.reset();
  old_.clear();  // a lookup may have been what failed
}

void SqliteJournal::apply(Entry& entry, Sequence& next, std::int64_t time_us) {
  entry.time_us = time_us;
  entry.outcome = Outcome::stored;
  if (entry.kind == Kind::event && !apply_event(entry)) return;
  if ((entry.kind == Kind::reward || entry.kind == Kind::activation) && !apply_to_event(entry)) return;
  entry.sequence = next++;
  newest_->store(entry.sequence, time_us, entry);
}

/// False: there is one of that name already.
bool SqliteJournal::apply_event(Entry& entry) {
  if (entry.name.empty()) return true;
  const auto found = named(entry.name, entry.loop, entry.time_us);
  if (found.empty()) return true;
  entry.outcome = Outcome::duplicate;
  entry.sequence = found.front().sequence;
  const auto [row, bound] = segment_among(rows_, entry.sequence);
  entry.first_payload = index_of(row, bound).payload(entry.sequence);
  return false;
}

/// False: nothing to store; the outcome says why.
bool SqliteJournal::apply_to_event(Entry& entry) {
  if (entry.target == 0) {
    const auto found = named(entry.name, entry.loop, entry.time_us);
    entry.outcome = found.empty() ? Outcome::unknown : Outcome::ambiguous;
    if (found.size() != 1) return false;
    entry.target = found.front().sequence;
  }
  const auto event = place(entry.target);
  entry.outcome = Outcome::unknown;
  if (!event || (entry.loop != 0 && entry.loop != event->loop)) return false;
  entry.event_loop = event->loop;
  entry.event_time_us = event->time_us;
  entry.outcome = has_key(entry.target, entry.key) ? Outcome::duplicate : Outcome::stored;
  return entry.outcome == Outcome::stored;
}

std::pair<SegmentRow, Sequence> SqliteJournal::segment_of(Sequence sequence) {
  const std::lock_guard lock(rows_mutex_);
  return segment_among(rows_, sequence);
}

SegmentIndex& SqliteJournal::index_of(const SegmentRow& row, Sequence bound) {
  if (bound == 0) return newest_->index();
  auto found = old_.find(row.number);
  if (found == old_.end()) {
    found = old_.emplace(row.number, Old{Database::reader(path(row.number), options_.vfs), {}}).first;
    found->second.index = SegmentIndex(found->second.database, bound);
  }
  return found->second.index;
}

std::optional<EventPlace> SqliteJournal::place(Sequence sequence) {
  if (rows_.empty() || sequence < rows_.front().first) return std::nullopt;
  const auto [row, bound] = segment_among(rows_, sequence);
  return index_of(row, bound).event(sequence);
}

/// Calls visit(index, row, bound) for segments from the newest on until it returns false.
template <class Visit>
void SqliteJournal::visit_newest_first(const Visit& visit) {
  Sequence bound = 0;
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
    if (!visit(index_of(*row, bound), *row, bound)) return;
    bound = row->first;
  }
}

std::vector<EventPlace> SqliteJournal::named(const std::string& name, std::uint32_t loop, std::int64_t now_us) {
  std::vector<EventPlace> found;
  std::int64_t ended_us = now_us;  // when the segment looked at got its last record
  visit_newest_first([&](SegmentIndex& index, const SegmentRow& row, Sequence) {
    if (ended_us < now_us - options_.names_us) return false;
    ended_us = row.first_time_us;
    for (const EventPlace& event : index.named(name, loop)) found.push_back(event);
    return found.empty() || (loop == 0 && found.size() < 2);
  });
  return found;
}

bool SqliteJournal::has_key(Sequence event, const std::string& key) {
  bool found = false;
  visit_newest_first([&](SegmentIndex& index, const SegmentRow& row, Sequence) {
    found = index.has_key(event, key);
    return !found && row.first > event;
  });
  return found;
}

JournalInfo SqliteJournal::info() {
  JournalInfo info;
  const std::lock_guard lock(rows_mutex_);
  info.segments = rows_.size();
  info.first = rows_.empty() ? 1 : rows_.front().first;
  info.last = next_ - 1;
  info.failed = failed_;
  if (!options_.vfs.empty()) return info;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored))
    if (const auto size = entry.file_size(ignored); !ignored) info.bytes += size;
  return info;
}

std::size_t SqliteJournal::drop_before(std::int64_t time_us) {
  std::size_t dropped = 0;
  sqlite3_vfs* vfs = sqlite3_vfs_find(options_.vfs.empty() ? nullptr : options_.vfs.c_str());
  while (rows_.size() > 1 && rows_[1].first_time_us < time_us) {
    const std::uint64_t number = rows_.front().number;
    state_.drop_segment(number);
    old_.erase(number);
    {
      const std::lock_guard lock(rows_mutex_);
      rows_.erase(rows_.begin());
    }
    for (const char* suffix : {"", "-wal", "-shm"}) vfs->xDelete(vfs, (path(number) + suffix).c_str(), 0);
    ++dropped;
  }
  return dropped;
}

std::unique_ptr<JournalReader> SqliteJournal::reader() { return std::make_unique<SqliteReader>(*this); }

}  // namespace neuralts::serve
