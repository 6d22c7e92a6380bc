#include "data/csv_fields.hpp"

#include <algorithm>

namespace neuralts {

namespace {

// A separator is no blank, although a tab or a space may be one.
bool blank(char c, char separator) { return (c == ' ' || c == '\t') && c != separator; }

std::string_view trim_blanks(std::string_view text, char separator) {
  while (!text.empty() && blank(text.front(), separator)) text.remove_prefix(1);
  while (!text.empty() && blank(text.back(), separator)) text.remove_suffix(1);
  return text;
}

bool has_quote(std::string_view line) { return line.find('"') != std::string_view::npos; }

}  // namespace

bool CsvRecords::next() {
  std::string_view line;
  do {
    if (!lines_.next(line)) return false;
  } while (trim_blanks(line, '\0').empty());
  fields_.clear();
  if (!has_quote(line)) {
    split_plain(line);
  } else {
    close_quotes(line);
    split_quoted(line);
  }
  return true;
}

// A quoted field may hold line ends: as long as a quote is open, the record goes on.
void CsvRecords::close_quotes(std::string_view& line) {
  const std::size_t first_line = lines_.number();
  auto quotes = std::count(line.begin(), line.end(), '"');
  while (quotes % 2 != 0) {
    const std::size_t counted = line.size();
    if (!lines_.extend(line))
      lines_.fail("a quote opened on line " + std::to_string(first_line) + " is never closed",
                  "quotes inside a quoted field are doubled");
    quotes += std::count(line.begin() + static_cast<std::ptrdiff_t>(counted), line.end(), '"');
  }
}

void CsvRecords::split_plain(std::string_view line) {
  const char* const end = line.data() + line.size();
  for (const char *start = line.data(), *p = start;; ++p)
    if (p == end || *p == separator_) {
      fields_.push_back(trim_blanks({start, static_cast<std::size_t>(p - start)}, separator_));
      if (p == end) return;
      start = p + 1;
    }
}

void CsvRecords::split_quoted(std::string_view line) {
  unquoted_.clear();
  unquoted_.reserve(line.size());
  for (std::size_t at = 0;; ++at) {
    while (at < line.size() && blank(line[at], separator_)) ++at;
    if (at < line.size() && line[at] == '"') {
      at = unquote(line, at + 1);
    } else {
      const std::size_t end = std::min(line.find(separator_, at), line.size());
      const auto field = line.substr(at, end - at);
      if (has_quote(field))
        lines_.fail(
            "field " + std::to_string(fields_.size() + 1) + " holds a quote but does not begin with one",
            "quote the whole field");
      fields_.push_back(trim_blanks(field, separator_));
      at = end;
    }
    if (at >= line.size()) return;
  }
}

// Reads the field whose opening quote stands before `at`; returns where its comma or the record's end is.
std::size_t CsvRecords::unquote(std::string_view line, std::size_t at) {
  const std::size_t start = unquoted_.size();
  for (;; ++at) {
    const std::size_t quote = line.find('"', at);
    if (quote == std::string_view::npos)
      lines_.fail("a quoted field is never closed", "quotes inside a quoted field are doubled");
    unquoted_.append(line.substr(at, quote - at));
    at = quote + 1;
    if (at >= line.size() || line[at] != '"') break;
    unquoted_ += '"';
  }
  fields_.push_back(std::string_view(unquoted_).substr(start));
  while (at < line.size() && blank(line[at], separator_)) ++at;
  if (at < line.size() && line[at] != separator_)
    lines_.fail("field " + std::to_string(fields_.size()) + " goes on after its closing quote",
                "expected the separator; quotes inside a quoted field are doubled");
  return at;
}

}  // namespace neuralts
