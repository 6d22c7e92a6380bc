#include "env/column_reader.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.hpp"
#include "env/number.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

// Codes are stored as floats: above this number of values two of them would become one.
constexpr std::size_t max_values = 1u << 24;

std::string list_of(const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size() && i < 12; ++i) text += (i == 0 ? "" : ", ") + values[i];
  return values.size() > 12 ? text + ", ..." : text;
}

}  // namespace

bool is_missing(std::string_view cell) { return cell.empty() || cell == "?"; }

std::string shown(std::string_view cell) {
  constexpr std::size_t most = 40;
  std::string text = "'";
  text += cell.substr(0, most);
  return text + (cell.size() > most ? "...'" : "'");
}

Dictionary::Dictionary(std::vector<std::string> declared) : values_(std::move(declared)), fixed_(true) {
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (!codes_.emplace(values_[i], static_cast<std::uint32_t>(i)).second)
      throw ContractError("the value '" + values_[i] + "' is declared twice");
}

std::int64_t Dictionary::code(std::string_view text) {
  if (const auto found = codes_.find(text); found != codes_.end()) return found->second;
  if (fixed_ || values_.size() == max_values) return -1;
  values_.emplace_back(text);
  codes_.emplace(text, static_cast<std::uint32_t>(values_.size() - 1));
  return static_cast<std::int64_t>(values_.size() - 1);
}

std::vector<std::uint32_t> Dictionary::sort() {
  std::vector<std::uint32_t> order(values_.size()), rank(values_.size());
  std::iota(order.begin(), order.end(), 0);
  if (!fixed_) {
    std::vector<std::optional<double>> numbers;
    for (const auto& value : values_) numbers.push_back(read_number(value));
    const bool numeric = std::all_of(numbers.begin(), numbers.end(), [](const auto& n) { return n && std::isfinite(*n); });
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return numeric && numbers[a] != numbers[b] ? numbers[a] < numbers[b] : values_[a] < values_[b];
    });
  }
  std::vector<std::string> sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = static_cast<std::uint32_t>(i);
    sorted.push_back(std::move(values_[order[i]]));
  }
  values_ = std::move(sorted);
  for (std::size_t i = 0; i < values_.size(); ++i) codes_[values_[i]] = static_cast<std::uint32_t>(i);
  return rank;
}

void ColumnReader::fail(const LineReader& at, const std::string& expected, std::string_view cell, const std::string& hint) const {
  const std::string place = at.place() + ", column " + std::to_string(position_ + 1) + " (" + name_ + ")";
  throw Error(ErrorCode::bad_input, place, "expected " + expected + ", found " + shown(cell), hint);
}

float ColumnReader::read(std::string_view cell, const LineReader& at) {
  if (is_missing(cell)) {
    ++missing_;
    return missing_value;
  }
  if (kind_ == Kind::nominal) return read_nominal(cell, at);
  const auto number = read_number(cell);
  if (!number && kind_ == Kind::declared_numeric) fail(at, "a number", cell, "write ? for a missing value");
  if (!number) {
    contradicted_ = kind_ == Kind::numeric;
    kind_ = Kind::nominal;
    return read_nominal(cell, at);
  }
  const float value = static_cast<float>(*number);
  if (!std::isfinite(value)) fail(at, "a finite number", cell, "write ? for a missing value");
  if (kind_ == Kind::undecided) kind_ = Kind::numeric;
  return value;
}

float ColumnReader::read_nominal(std::string_view cell, const LineReader& at) {
  const std::int64_t code = dictionary_.code(cell);
  if (code < 0 && dictionary_.values().size() == max_values)
    fail(at, "at most " + std::to_string(max_values) + " different values", cell, "");
  if (code < 0) fail(at, "one of the declared values", cell, "declared: " + list_of(dictionary_.values()));
  return static_cast<float>(code);
}

std::uint32_t ColumnReader::read_label(std::string_view cell, const LineReader& at) {
  const bool not_a_number = cell.size() == 3 && std::equal(cell.begin(), cell.end(), "nan", [](char a, char b) { return (a | 0x20) == b; });
  if (is_missing(cell) || not_a_number) fail(at, "a class label", cell, "every row needs one; remove the row or name another label column");
  return static_cast<std::uint32_t>(read_nominal(cell, at));
}

}  // namespace neuralts
