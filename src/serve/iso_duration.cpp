#include "serve/iso_duration.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace neuralts::serve {

std::optional<std::int64_t> parse_duration(std::string_view text) {
  if (text.size() < 3 || text[0] != 'P') return std::nullopt;
  text.remove_prefix(1);
  bool time = false, any = false;
  double seconds = 0;
  while (!text.empty()) {
    if (text[0] == 'T' && !time) {
      time = true;
      text.remove_prefix(1);
      any = false;
      continue;
    }
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end == text.data() + text.size() || !(number >= 0)) return std::nullopt;
    const double unit = time ? (*end == 'H' ? 3600 : *end == 'M' ? 60 : *end == 'S' ? 1 : 0) : *end == 'D' ? 86400 : *end == 'W' ? 604800 : 0;
    if (unit == 0) return std::nullopt;
    seconds += number * unit;
    any = true;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  }
  if (!any || !(seconds < 1e10)) return std::nullopt;
  return std::llround(seconds * 1e6);
}

std::string duration_text(std::int64_t duration_us) {
  const std::int64_t seconds = duration_us / 1'000'000;
  std::string text = "P";
  if (seconds >= 86400) text += fmt::format("{}D", seconds / 86400);
  std::string time;
  if (seconds / 3600 % 24 > 0) time += fmt::format("{}H", seconds / 3600 % 24);
  if (seconds / 60 % 60 > 0) time += fmt::format("{}M", seconds / 60 % 60);
  const double rest = static_cast<double>(duration_us % 60'000'000) / 1e6;
  if (rest > 0 || (time.empty() && text == "P")) time += fmt::format("{:g}S", rest);
  return time.empty() ? text : text + "T" + time;
}

}  // namespace neuralts::serve
