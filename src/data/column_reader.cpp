#include "data/column_reader.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace neuralts {

namespace {

std::string list_of(const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size() && i < 12; ++i) text += (i == 0 ? "" : ", ") + values[i];
  return values.size() > 12 ? text + ", ..." : text;
}

/// What other programs write for a number that is not there. Among words it may be one: NA is Namibia's code.
bool stands_for_no_number(std::string_view cell) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
  for (const std::string_view word : {"na", "nan", "n/a", "null", "none"})
    if (std::equal(cell.begin(), cell.end(), word.begin(), word.end(), same)) return true;
  return false;
}

}  // namespace

bool is_missing(std::string_view cell) { return cell.empty() || cell == "?"; }

Error ColumnReader::error(const LineReader& at, const std::string& expected, std::string_view cell,
                          const std::string& hint) const {
  const std::string place = at.place() + ", column " + std::to_string(position_ + 1) + " (" + name_ + ")";
  return {ErrorCode::bad_input, place, "expected " + expected + ", found " + shown(cell), hint};
}

void ColumnReader::fail(const LineReader& at, const std::string& expected, std::string_view cell,
                        const std::string& hint) const {
  throw error(at, expected, cell, hint);
}

void ColumnReader::doubt(Error problem) {
  if (!doubt_) doubt_ = std::move(problem);
}

void ColumnReader::check() const {
  if (doubt_ && holds_numbers()) throw *doubt_;
}

bool ColumnReader::holds_numbers() const {
  const auto& values = dictionary_.values();
  return kind_ != Kind::nominal || std::all_of(values.begin(), values.end(), [](const std::string& value) {
           return stands_for_no_number(value) || parse_number(value);
         });
}

float ColumnReader::read(std::string_view cell, const LineReader& at) {
  if (is_missing(cell)) {
    ++missing_;
    return missing_value;
  }
  if (kind_ == Kind::nominal) return read_nominal(cell, at);
  if (kind_ != Kind::declared_numeric && stands_for_no_number(cell)) {
    ++missing_;
    passed_over_ = true;
    return missing_value;
  }
  const auto number = parse_number(cell);
  if (!number && !is_beyond_double(cell)) {
    if (kind_ == Kind::declared_numeric) fail(at, "a number", cell, "write ? for a missing value");
    contradicted_ = kind_ == Kind::numeric || passed_over_;
    kind_ = Kind::nominal;
    return read_nominal(cell, at);
  }
  const float value = number ? static_cast<float>(*number) : missing_value;
  if (!std::isfinite(value)) doubt(unfit(cell, number, at));
  if (kind_ == Kind::declared_numeric) check();
  if (kind_ == Kind::undecided) kind_ = Kind::numeric;
  return value;
}

Error ColumnReader::unfit(std::string_view cell, std::optional<double> number, const LineReader& at) const {
  if (!number) return error(at, "a number of a size that fits (0, or 1e-307 to 3.4e38)", cell, "use another unit");
  if (std::isfinite(*number)) return error(at, "a number up to 3.4e38", cell, "use another unit");
  return error(at, "a finite number", cell, "write ? for a missing value");
}

float ColumnReader::read_reward(std::string_view cell, const LineReader& at) const {
  const auto number = parse_number(cell);
  if (!number || !std::isfinite(static_cast<float>(*number)))
    fail(at, "a reward", cell, "every row needs a number for every arm");
  return static_cast<float>(*number);
}

float ColumnReader::read_nominal(std::string_view cell, const LineReader& at) {
  const std::int64_t code = dictionary_.code(cell);
  if (code < 0 && dictionary_.values().size() == Dictionary::max_values)
    fail(at, "at most " + std::to_string(Dictionary::max_values) + " different values", cell, "");
  if (code < 0) fail(at, "one of the declared values", cell, "declared: " + list_of(dictionary_.values()));
  return static_cast<float>(code);
}

std::uint32_t ColumnReader::read_label(std::string_view cell, const LineReader& at) {
  const bool not_a_number = cell.size() == 3 && std::equal(cell.begin(), cell.end(), "nan",
                                                           [](char a, char b) { return (a | 0x20) == b; });
  if (is_missing(cell) || not_a_number)
    fail(at, "a class label", cell, "every row needs one; remove the row or name another label column");
  if (is_open() && stands_for_no_number(cell))
    doubt(error(at, "a class label", cell, "the others are numbers; remove the row or name another label column"));
  return static_cast<std::uint32_t>(read_nominal(cell, at));
}

}  // namespace neuralts
