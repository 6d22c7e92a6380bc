// ARFF's words: values separated by commas, bare or in either kind of quotes, with backslash escapes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/line_reader.hpp"

namespace neuralts {

/// Reads a line from left to right. Texts of quoted words are kept here: views hold until the following line.
class ArffText {
 public:
  void start(std::string_view line, const LineReader& at);

  /// Skips blanks; true when only a comment or nothing is left.
  bool at_end();
  /// Skips blanks and takes `c` when it is next.
  bool take(char c);
  /// The next word: a quoted text, or everything up to a blank or one of `stops`. May be empty.
  std::string_view word(std::string_view stops);
  /// As word(), but bare words may hold blanks (they are trimmed): what stands between two commas.
  std::string_view value(std::string_view stops);
  std::string_view rest() const { return line_.substr(at_); }
  [[noreturn]] void fail(const std::string& what, const std::string& hint = "") const { lines_->fail(what, hint); }

 private:
  void skip_blanks();
  std::string_view quoted(char quote);

  std::string_view line_;
  std::size_t at_ = 0;
  const LineReader* lines_ = nullptr;
  std::string texts_;  // reserved to the line's length, so that views of it stay valid
};

/// ASCII only, as ARFF's keywords are.
bool same_ignoring_case(std::string_view a, std::string_view b);

}  // namespace neuralts
