#include "data/arff_text.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace neuralts {

namespace {

constexpr std::string_view blanks = " \t";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

void ArffText::start(std::string_view line, const LineReader& at) {
  line_ = line;
  at_ = 0;
  lines_ = &at;
  texts_.clear();
  texts_.reserve(line.size());
}

void ArffText::skip_blanks() { at_ = std::min(line_.find_first_not_of(blanks, at_), line_.size()); }

bool ArffText::at_end() {
  skip_blanks();
  return at_ == line_.size() || line_[at_] == '%';
}

bool ArffText::take(char c) {
  skip_blanks();
  if (at_ == line_.size() || line_[at_] != c) return false;
  ++at_;
  return true;
}

std::string_view ArffText::word(std::string_view stops) {
  skip_blanks();
  if (at_ < line_.size() && (line_[at_] == '\'' || line_[at_] == '"')) return quoted(line_[at_]);
  const std::size_t start = at_;
  while (at_ < line_.size() && blanks.find(line_[at_]) == std::string_view::npos &&
         stops.find(line_[at_]) == std::string_view::npos)
    ++at_;
  return line_.substr(start, at_ - start);
}

std::string_view ArffText::value(std::string_view stops) {
  skip_blanks();
  if (at_ < line_.size() && (line_[at_] == '\'' || line_[at_] == '"')) return quoted(line_[at_]);
  const std::size_t start = at_;
  at_ = std::min(line_.find_first_of(stops, at_), line_.size());
  return trim(line_.substr(start, at_ - start));
}

std::string_view ArffText::quoted(char quote) {
  const std::size_t start = texts_.size();
  for (++at_; at_ < line_.size() && line_[at_] != quote; ++at_) {
    if (line_[at_] == '\\' && at_ + 1 < line_.size()) ++at_;
    texts_ += line_[at_];
  }
  if (at_ == line_.size()) fail("a quoted value is never closed", std::string("expected another ") + quote);
  ++at_;
  return std::string_view(texts_).substr(start);
}

}  // namespace neuralts
