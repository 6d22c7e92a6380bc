#include <chrono>
#include <cmath>
#include <filesystem>
#include <mutex>
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

  // Whole records only; called with the lock held.
  void add(const std::string& record) {
    if (!file) throw Error(ErrorCode::io, path, "the log is closed");
    if (options.rotate_bytes > 0 && file->size() + buffer.size() > 0 &&
        file->size() + buffer.size() + record.size() > options.rotate_bytes)
      rotate();
    buffer += record;
    ++records;
    const auto now = std::chrono::steady_clock::now();
    if (buffer.size() >= buffered || now - flushed >= std::chrono::duration<double>(options.flush_seconds)) put();
  }

  void put() {
    file->append(buffer);
    buffer.clear();
    flushed = std::chrono::steady_clock::now();
  }

  void rotate() {
    put();
    if (number == 0) number = last_rotated(path);
    const std::string away = rotated_name(path, ++number);
    file.reset();
    std::error_code problem;
    std::filesystem::rename(path, away, problem);
    if (problem) throw Error(ErrorCode::io, path, "cannot rotate the log to " + away, problem.message());
    open(false);
    if (options.compress) pack(away);
  }

  // Beside the writing; the plain file is still there should packing fail, and is read instead.
  void pack(const std::string& away) {
    if (packer.joinable()) packer.join();
    packer = std::thread([away] {
      try {
        pack_file(away);
      } catch (const Error&) {
      }
    });
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
  std::thread packer;
};

LogWriter::LogWriter(const std::string& path, LogWriterOptions options)
    : state_(std::make_unique<State>(path, std::move(options))) {}
LogWriter::~LogWriter() = default;
LogWriter::LogWriter(LogWriter&&) noexcept = default;
LogWriter& LogWriter::operator=(LogWriter&&) noexcept = default;

void LogWriter::write(const Event& event) {
  if (const auto problem = problem_of(event)) throw ContractError("an event cannot be logged: " + *problem);
  std::string record;
  switch (state_->options.format) {
    case LogFormat::own: append_event(record, event); break;
    case LogFormat::dsjson: append_dsjson(record, event); break;
    case LogFormat::vw: append_vw(record, event); break;
  }
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
  const std::string temporary = path + ".part";
  LogWriterOptions options;
  options.format = format;
  options.append = false;
  options.head = from.head();
  std::size_t events = 0;
  try {
    LogWriter to(temporary, options);
    for (Event event; from.next(event); ++events) to.write(event);
    to.close();
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
  publish_file(temporary, path);
  return events;
}

}  // namespace neuralts
