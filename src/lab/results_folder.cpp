// results.jsonl: append-only while runs go on, canonical when they are done.
//
// Writers hold an exclusive lock on `lock` and open results.jsonl by name each time, so that a rewrite
// (temporary file, rename) never loses what another process appends. A record and its end of line go out in one
// write(); what a killed process leaves of one is ended by the next writer, passed over by readers, and put
// aside with other lines that are no records.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "neuralts/lab.hpp"

namespace neuralts {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& doing, int reason) {
  throw Error(ErrorCode::io, path, "cannot " + doing, std::strerror(reason));
}

/// An open file; closing it gives up its lock.
class OpenFile {
 public:
  OpenFile(const std::string& path, int flags) : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (fd_ < 0) fail(path, "open", errno);
  }
  ~OpenFile() { ::close(fd_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  void lock() const {
    while (::flock(fd_, LOCK_EX) != 0)
      if (errno != EINTR) fail(path_, "lock", errno);
  }
  bool ends_torn() const {
    struct stat status {};
    if (::fstat(fd_, &status) != 0) fail(path_, "look at", errno);
    char last = '\n';
    if (status.st_size > 0 && ::pread(fd_, &last, 1, status.st_size - 1) != 1) fail(path_, "read", errno);
    return last != '\n';
  }
  void write(std::string_view bytes) const {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n != static_cast<ssize_t>(bytes.size())) fail(path_, "write", n < 0 ? errno : ENOSPC);
  }

 private:
  std::string path_;
  int fd_;
};

/// REQUIRES the folder's lock.
void add_line(const std::string& path, const std::string& line) {
  const OpenFile file(path, O_RDWR | O_CREAT | O_APPEND);
  file.write((file.ends_torn() ? "\n" : "") + line + "\n");
}

void append_line(const ResultsFolder& folder, const std::string& name, const std::string& line) {
  const OpenFile guard(folder.file("lock"), O_RDWR | O_CREAT);
  guard.lock();
  add_line(folder.file(name), line);
}

std::vector<std::string> read_lines(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  const auto bytes = read_file(path);
  auto lines = split(std::string_view(bytes.data(), bytes.size()), '\n');
  std::erase_if(lines, [](const std::string& line) { return line.empty(); });
  return lines;
}

/// The order of the file when it is done; numbers among the parameters compare as text, which is order enough.
auto canonical(const Record& record) {
  const RunSpec& spec = record.spec;
  return std::make_tuple(spec.env, spec.policy.name, spec.policy.preset, to_string(spec.policy.params),
                         spec.rounds, to_string(spec.delay), spec.seed, spec.device);
}

/// The lines of results.jsonl, told apart.
struct Sorted {
  std::vector<Record> current;          // one per specification, in canonical order
  std::vector<Record> older;            // that another of the same specification has replaced
  std::vector<std::string> unreadable;  // as they stand
  std::vector<std::string> reasons;     // "line 3: why", one for each of them
};

/// Of one key a finished run wins over a failed one; of two keys of one specification the later line does.
bool replaces(const Record& later, const Record& earlier) { return later.key != earlier.key || !earlier.ok(); }

Sorted sort_lines(const std::string& path) {
  using Place = decltype(canonical(Record{}));
  Sorted sorted;
  std::map<Place, Record> by_spec;
  std::size_t number = 0;
  for (const auto& line : read_lines(path)) try {
      ++number;
      Record record = record_from_json(line);
      const auto [place, fresh] = by_spec.try_emplace(canonical(record), record);
      if (fresh || !replaces(record, place->second)) continue;
      if (record.key != place->second.key) sorted.older.push_back(std::move(place->second));
      place->second = std::move(record);
    } catch (const Error& problem) {
      sorted.unreadable.push_back(line);
      sorted.reasons.push_back("line " + std::to_string(number) + ": " + problem.what());
    }
  for (auto& [place, record] : by_spec) sorted.current.push_back(std::move(record));
  return sorted;
}

}  // namespace

ResultsFolder::ResultsFolder(std::string path) : path_(std::move(path)) {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) throw Error(ErrorCode::io, path_, "cannot make the results folder", error.message());
}

std::vector<Record> ResultsFolder::records() const { return sort_lines(file("results.jsonl")).current; }

std::vector<std::string> ResultsFolder::unreadable() const { return sort_lines(file("results.jsonl")).reasons; }

void ResultsFolder::append(const Record& record) { append_line(*this, "results.jsonl", to_json(record)); }

void ResultsFolder::finish() {
  const OpenFile guard(file("lock"), O_RDWR | O_CREAT);
  guard.lock();
  const Sorted sorted = sort_lines(file("results.jsonl"));
  for (const auto& record : sorted.older) add_line(file("older.jsonl"), to_json(record));
  for (const auto& line : sorted.unreadable) add_line(file("unreadable.txt"), line);
  std::string text;
  for (const auto& record : sorted.current) text += to_json(record) + "\n";
  write_file(file("results.jsonl"), text);
}

std::vector<std::string> ResultsFolder::commands() const { return read_lines(file("commands.txt")); }

void ResultsFolder::add_command(const std::string& command) {
  const auto known = commands();
  if (std::find(known.begin(), known.end(), command) == known.end()) append_line(*this, "commands.txt", command);
}

}  // namespace neuralts
