#include <chrono>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/file.hpp"
#include "base/text.hpp"
#include "log/append_file.hpp"
#include "log/event.hpp"
#include "log/log_files.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

constexpr std::size_t buffered = 1 << 18;
constexpr const char* format_names[] = {"neuralts", "dsjson", "vw"};

void append_record(std::string& out, LogFormat format, const Event& event) {
  if (const auto problem = problem_of(event)) throw ContractError("an event cannot be logged: " + *problem);
  switch (format) {
    case LogFormat::own: return append_event(out, event);
    case LogFormat::dsjson: return append_dsjson(out, event);
    case LogFormat::vw: return append_vw(out, event);
  }
}

}  // namespace

LogFormat parse_log_format(const std::string& text) {
  for (std::size_t i = 0; i < std::size(format_names); ++i)
    if (text == format_names[i]) return static_cast<LogFormat>(i);
  throw Error(ErrorCode::bad_spec, "log format", "unknown format '" + text + "'", "known: neuralts, dsjson, vw");
}

const char* to_string(LogFormat format) { return format_names[static_cast<std::size_t>(format)]; }

struct LogWriter::State {
  State(const std::string& given, LogWriterOptions asked) : path(given), options(std::move(asked)) {
    open(options.append);
  }
  ~State() {
    try {
      close();
    } catch (const Error&) {  // nobody is left to be told
    }
  }

  void open(bool keep) {
    file = std::make_unique<AppendFile>(path, keep);
    file->drop_partial_line();
    if (options.format == LogFormat::own && file->size() == 0) append_head(buffer, options.head);
  }

  // Whole records only; called with the lock held. One that cannot be written is not kept for later: the caller is told.
  void add(const std::string& record) {
    if (!file) throw Error(ErrorCode::io, path, "the log is closed");
    if (options.rotate_bytes > 0 && file->size() + buffer.size() > 0 &&
        file->size() + buffer.size() + record.size() > options.rotate_bytes)
      rotate();
    const std::size_t before = buffer.size();
    buffer += record;
    const auto now = std::chrono::steady_clock::now();
    if (buffer.size() >= buffered || now - flushed >= std::chrono::duration<double>(options.flush_seconds)) {
      try {
        put();
      } catch (...) {
        buffer.resize(before);
        throw;
      }
    }
    ++records;
  }

  void put() {
    file->append(buffer);
    buffer.clear();
    flushed = std::chrono::steady_clock::now();
  }

  // What goes wrong leaves the file where it was, and open.
  void rotate() {
    put();
    if (number == 0) number = last_rotated(path);
    const std::string away = rotated_name(path, number + 1);
    std::error_code problem;
    std::filesystem::rename(path, away, problem);
    if (problem) throw Error(ErrorCode::io, path, "cannot rotate the log to " + away, problem.message());
    try {
      open(false);
    } catch (...) {
      std::filesystem::rename(away, path, problem);
      throw;
    }
    ++number;
    if (options.compress) pack(away);
  }

  // Beside the writing; the plain file is still there should packing fail, and is read instead.
  void pack(const std::string& away) {
    try {
      packer = std::jthread([away] {  // joins the one before
        try {
          pack_file(away);
        } catch (const std::exception&) {
        }
      });
    } catch (const std::system_error&) {
    }
  }

  void close() {
    if (file) {
      put();
      file->sync();
      file.reset();
    }
    if (packer.joinable()) packer.join();
  }

  std::string path;
  LogWriterOptions options;
  std::mutex mutex;
  std::unique_ptr<AppendFile> file;
  std::string buffer;
  std::chrono::steady_clock::time_point flushed = std::chrono::steady_clock::now();
  std::size_t records = 0, number = 0;
  std::jthread packer;
};

LogWriter::LogWriter(const std::string& path, LogWriterOptions options)
    : state_(std::make_unique<State>(path, std::move(options))) {}
LogWriter::~LogWriter() = default;
LogWriter::LogWriter(LogWriter&&) noexcept = default;
LogWriter& LogWriter::operator=(LogWriter&&) noexcept = default;

void LogWriter::write(const Event& event) {
  std::string record;
  append_record(record, state_->options.format, event);
  const std::lock_guard lock(state_->mutex);
  state_->add(record);
}

void LogWriter::reward(const std::string& event_id, double reward, double time) {
  if (state_->options.format != LogFormat::own)
    throw Error(ErrorCode::unsupported, state_->path, "this format has no rewards of their own",
                "write neuralts' format and convert it with write_log");
  if (!std::isfinite(reward)) throw ContractError("the reward of " + event_id + " is not finite");
  std::string record;
  append_reward(record, event_id, reward, std::isfinite(time) ? time : 0);
  const std::lock_guard lock(state_->mutex);
  state_->add(record);
}

void LogWriter::flush(bool durable) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->file) return;
  state_->put();
  if (durable) state_->file->sync();
}

void LogWriter::close() {
  const std::lock_guard lock(state_->mutex);
  state_->close();
}

std::size_t LogWriter::written() const {
  const std::lock_guard lock(state_->mutex);
  return state_->records;
}
const std::string& LogWriter::path() const { return state_->path; }

std::size_t write_log(LogReader& from, const std::string& path, LogFormat format) {
  FileWriter file(path);
  std::string record;
  if (format == LogFormat::own) append_head(record, from.head());
  std::size_t events = 0;
  for (Event event; from.next(event); ++events) {
    append_record(record, format, event);
    file.write(record);
    record.clear();
  }
  file.write(record);
  file.commit();
  return events;
}

}  // namespace neuralts
