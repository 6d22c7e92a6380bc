#include "base/line_reader.hpp"

#include <algorithm>
#include <cstring>

#include "neuralts/error.hpp"

namespace neuralts {

LineReader::LineReader(Source& source) : source_(source), buffer_(std::size_t{1} << 17) {
  source_.rewind();
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  while (end_ < mark.size() && grow()) {
  }
  if (std::string_view(buffer_.data(), end_).starts_with(mark)) scan_ = mark.size();
}

std::string LineReader::place() const { return source_.name() + ", line " + std::to_string(number_); }

void LineReader::fail(const std::string& what, const std::string& hint) const {
  throw Error(ErrorCode::bad_input, place(), what, hint);
}

// More bytes behind end_, after moving the current line to the front; false at the end of the source.
bool LineReader::grow() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    scan_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const std::size_t got = source_.read(std::span(buffer_).subspan(end_));
  end_ += got;
  return got > 0;
}

// Moves scan_ behind the next line end, or to the end of the source; false when no byte is left.
bool LineReader::find_end() {
  for (;;) {
    if (const void* found = std::memchr(buffer_.data() + scan_, '\n', end_ - scan_)) {
      scan_ = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) + 1;
      break;
    }
    scan_ = end_;
    if (scan_ - begin_ > max_line) break;
    if (!grow()) break;
  }
  if (scan_ - begin_ > max_line) {
    ++number_;
    fail("the line is longer than " + std::to_string(max_line >> 20) + " MiB",
         "is this a text file with one row per line?");
  }
  return scan_ > begin_;
}

// `checked`: how many of the line's bytes have been looked at before.
std::string_view LineReader::finish_line(std::size_t checked) {
  ++number_;
  std::string_view line(buffer_.data() + begin_, scan_ - begin_);
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::string_view fresh = line.substr(std::min(checked, line.size()));
  if (std::memchr(fresh.data(), 0, fresh.size()) != nullptr)
    fail("the line holds a NUL byte", "is this a text file? UTF-16 must be converted to UTF-8");
  return line;
}

bool LineReader::next(std::string_view& line) {
  begin_ = scan_;
  if (!find_end()) return false;
  line = finish_line(0);
  return true;
}

bool LineReader::extend(std::string_view& line) {
  const std::size_t before = scan_ - begin_;
  if (!find_end() || scan_ - begin_ == before) return false;
  line = finish_line(before);
  return true;
}

}  // namespace neuralts
