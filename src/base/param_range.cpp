#include "neuralts/param_range.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

std::vector<std::string_view> split_at(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

bool is_word(std::string_view text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789-_";
  return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos;
}

}  // namespace

ParamRange::ParamRange(std::string_view text) {
  for (const auto alternative : split_at(text.substr(0, text.find(',')), " | ")) add(alternative);
}

void ParamRange::add(std::string_view alternative) {
  const std::size_t colon = alternative.find(':');
  if (auto numbers = interval(alternative)) intervals_.push_back(std::move(*numbers));
  else if (alternative.starts_with("a ")) any_text_ = true;
  else if (is_word(alternative)) words_.emplace_back(alternative);
  else if (is_word(alternative.substr(0, colon))) prefixes_.emplace_back(alternative.substr(0, colon + 1));
  else throw ContractError("a parameter's range: '" + std::string(alternative) + "' is not understood");
}

std::optional<ParamRange::Interval> ParamRange::interval(std::string_view alternative) {
  if (alternative == "a number") return Interval{};
  if (const auto ends = split_at(alternative, " .. "); ends.size() == 2) {
    const auto low = parse_number(ends[0]), high = parse_number(ends[1]);
    if (low && high) return Interval{{">=", *low}, {"<=", *high}};
  }
  Interval bounds;
  for (const auto part : split_at(alternative, " and ")) {
    const auto one = bound(part);
    if (!one) return std::nullopt;
    bounds.push_back(*one);
  }
  return bounds;
}

std::optional<ParamRange::Bound> ParamRange::bound(std::string_view text) {
  const std::size_t space = text.find(' ');
  const std::string comparison(text.substr(0, space));
  const bool known = comparison == ">" || comparison == ">=" || comparison == "<" || comparison == "<=";
  if (space == std::string_view::npos || !known) return std::nullopt;
  const auto limit = parse_number(text.substr(space + 1));
  return limit ? std::optional(Bound{comparison, *limit}) : std::nullopt;
}

bool ParamRange::within(double value, const Bound& bound) {
  if (bound.comparison == ">") return value > bound.limit;
  if (bound.comparison == ">=") return value >= bound.limit;
  if (bound.comparison == "<") return value < bound.limit;
  return value <= bound.limit;
}

std::optional<double> ParamRange::number(std::string_view text) const {
  const auto value = parse_number(text);
  if (!value || !(*value == 0 || std::isnormal(*value))) return std::nullopt;
  const auto inside = [&](const Interval& interval) {
    return std::all_of(interval.begin(), interval.end(), [&](const Bound& bound) { return within(*value, bound); });
  };
  return std::any_of(intervals_.begin(), intervals_.end(), inside) ? value : std::nullopt;
}

std::optional<std::size_t> ParamRange::word(std::string_view value) const {
  const auto found = std::find(words_.begin(), words_.end(), value);
  if (found == words_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - words_.begin());
}

bool ParamRange::holds(std::string_view value) const {
  const auto begins = [&](const std::string& prefix) { return value.starts_with(prefix); };
  return any_text_ || word(value) || number(value) || std::any_of(prefixes_.begin(), prefixes_.end(), begins);
}

}  // namespace neuralts
