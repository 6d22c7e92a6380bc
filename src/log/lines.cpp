#include "log/lines.hpp"

#include <algorithm>
#include <cstring>

#include "neuralts/error.hpp"

namespace neuralts {

namespace {

constexpr std::size_t piece = 1 << 20;  // read at a time

}  // namespace

LogLines::LogLines(std::vector<std::string> paths) : names_(std::move(paths)), buffer_(piece + padding) {
  rewind();
}

LogLines::LogLines(std::string_view text, const std::string& name)
    : names_{name}, text_(text), in_memory_(true), buffer_(piece + padding) {
  rewind();
}

void LogLines::rewind() {
  next_file_ = 0;
  source_ended_ = true;
  cut_.clear();
  open_next();
}

bool LogLines::open_next() {
  if (next_file_ == names_.size()) return false;
  at_file_ = next_file_++;
  source_ = in_memory_ ? text_source(text_, names_[0]) : open_source(names_[at_file_]);
  begin_ = end_ = number_ = 0;
  source_ended_ = false;
  return true;
}

// Reads on; false at the file's end. What is there moves to the front when the room behind it is used up.
bool LogLines::grow() {
  if (source_ended_) return false;
  if (buffer_.size() - padding - end_ < piece / 2) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (buffer_.size() - padding - end_ < piece / 2) buffer_.resize(2 * buffer_.size());
  }
  std::size_t got = 0;
  try {
    got = source_->read(std::span(buffer_).subspan(end_, buffer_.size() - padding - end_));
  } catch (const CutOff& error) {
    if (next_file_ < names_.size()) throw;
    cut_ = error.what();
  }
  if (got == 0) source_ended_ = true;
  end_ += got;
  return got > 0;
}

bool LogLines::next(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const char* from = buffer_.data() + begin_;
    const void* found = std::memchr(from + searched, '\n', end_ - begin_ - searched);
    if (found != nullptr) {
      line = {from, static_cast<std::size_t>(static_cast<const char*>(found) - from)};
      whole_ = true;
      line_size_ = line.size() + 1;
      break;
    }
    searched = end_ - begin_;
    if (searched > max_line) {
      ++number_;
      fail("the line is longer than " + std::to_string(max_line >> 20) + " MiB",
           "is this a log with one record per line?");
    }
    if (grow()) continue;
    if (searched > 0) {
      line = {buffer_.data() + begin_, searched};
      whole_ = false;
      line_size_ = searched;
      break;
    }
    if (!open_next()) return false;
  }
  begin_ += line_size_;
  ++number_;
  if (number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

std::string LogLines::place(std::size_t file_number, std::size_t line) const {
  return names_[file_number] + ", line " + std::to_string(line);
}

void LogLines::fail(const std::string& what, const std::string& hint) const {
  throw Error(ErrorCode::bad_input, place(), what, hint);
}

}  // namespace neuralts
