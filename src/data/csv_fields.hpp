// One CSV record into its fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/line_reader.hpp"

namespace neuralts {

/// The records of a CSV file. Fields are trimmed unless quoted; blank lines are skipped.
class CsvRecords {
 public:
  explicit CsvRecords(Source& source, char separator = ',') : lines_(source), separator_(separator) {}
  /// The next record's fields, valid until the following call. False at the end.
  bool next();
  const std::vector<std::string_view>& fields() const { return fields_; }
  const LineReader& lines() const { return lines_; }

 private:
  void close_quotes(std::string_view& line);
  void split_plain(std::string_view line);
  void split_quoted(std::string_view line);
  std::size_t unquote(std::string_view line, std::size_t at);

  LineReader lines_;
  char separator_;
  std::vector<std::string_view> fields_;
  std::string unquoted_;  // texts of the quoted fields; reserved beforehand, so that views of it stay valid
};

}  // namespace neuralts
