#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace neuralts {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t start = 0;;) {
    const std::size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

namespace {

/// The error of reading the whole text as a number into `value`.
std::errc read_number(std::string_view text, double& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return end == text.data() + text.size() ? error : std::errc::invalid_argument;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  if (read_number(text, value) != std::errc()) return std::nullopt;
  return value;
}

bool is_beyond_double(std::string_view text) {
  double value = 0;
  return read_number(text, value) == std::errc::result_out_of_range;
}

std::string format_number(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const auto& candidate : candidates)
    if (const std::size_t distance = edit_distance(word, candidate); distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  return best;
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates) {
  if (const auto near = nearest(word, candidates); !near.empty()) return "did you mean '" + near + "'?";
  std::string list;
  for (const auto& candidate : candidates) list += (list.empty() ? "known: " : ", ") + candidate;
  return list;
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  return "'" + std::string(text.substr(0, most)) + (text.size() > most ? "...'" : "'");
}

}  // namespace neuralts
