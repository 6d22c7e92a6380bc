// Lines of a source through one buffer: no line is copied unless it crosses the buffer's end.
#pragma once

#include <string_view>
#include <vector>

#include "base/source.hpp"

namespace neuralts {

class LineReader {
 public:
  /// Reads `source` from its beginning. A byte order mark is skipped.
  explicit LineReader(Source& source);

  /// The next line without its end ("\n" or "\r\n"); false when there is none. The view holds until the
  /// following call. Throws Error(bad_input) for a line above max_line bytes or one with a NUL byte.
  bool next(std::string_view& line);
  /// Lengthens `line`, the one just read, by the line end and the line after it (a quoted field may hold a line
  /// end).
  bool extend(std::string_view& line);

  std::size_t number() const { return number_; }  ///< of the line just read, from 1
  std::string place() const;                      ///< "file, line 7"
  [[noreturn]] void fail(const std::string& what, const std::string& hint = "") const;

  static constexpr std::size_t max_line = 8u << 20;

 private:
  bool grow();
  bool find_end();
  std::string_view finish_line(std::size_t checked);

  Source& source_;
  std::vector<char> buffer_;
  // The line starts at begin_, was searched up to scan_; bytes up to end_ are there.
  std::size_t begin_ = 0, scan_ = 0, end_ = 0;
  std::size_t number_ = 0;
  bool at_end_ = false;
};

}  // namespace neuralts
