// Lines of a log's files, one after the other, as a parser likes them: in one buffer, with room to read past a
// line's end. A log may be cut anywhere, because it is being written or because its writer was killed: the end
// is said, not thrown. A gzip file that is damaged, or cut with another file behind it, is.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.hpp"

namespace neuralts {

class LogLines {
 public:
  /// Files, plain or gzip, in order. Throws Error(not_found | io).
  explicit LogLines(std::vector<std::string> paths);
  /// Text in memory, which must outlive the lines.
  LogLines(std::string_view text, const std::string& name);

  /// The next line without its end. At least `padding` bytes after it may be read. Holds until the following call.
  /// Throws Error(bad_input) for a line above 64 MiB and for a damaged file.
  bool next(std::string_view& line);
  /// The line just read ended with a line end: it was not cut off.
  bool whole() const { return whole_; }
  void rewind();

  std::string place() const { return place(at_file_, number_); }          ///< "file, line 7"
  std::string place(std::size_t file_number, std::size_t line) const;  ///< the same for a line read before
  std::size_t file_number() const { return at_file_; }
  const std::string& file() const { return names_[at_file_]; }
  std::size_t number() const { return number_; }
  std::size_t bytes() const { return line_size_; }  ///< of the line just read
  /// Why the last file ended before its end (a gzip file that is cut); empty: it did not.
  const std::string& cut() const { return cut_; }
  [[noreturn]] void fail(const std::string& what, const std::string& hint = "") const;

  static constexpr std::size_t max_line = 64u << 20;
  static constexpr std::size_t padding = 64;

 private:
  bool open_next();
  bool grow();

  std::vector<std::string> names_;
  std::string_view text_;
  bool in_memory_ = false;
  std::unique_ptr<Source> source_;
  std::size_t at_file_ = 0, next_file_ = 0, number_ = 0, line_size_ = 0;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what has been read and not handed out
  bool source_ended_ = true, whole_ = true;
  std::string cut_;
};

}  // namespace neuralts
