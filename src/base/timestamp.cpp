#include "base/timestamp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/text.hpp"

namespace neuralts {

namespace {

using namespace std::chrono;

// A part of fixed width; -1 when it is no number.
int part(std::string_view text, std::size_t at, std::size_t size) {
  if (text.size() < at + size) return -1;
  int value = 0;
  for (const char c : text.substr(at, size)) {
    if (c < '0' || c > '9') return -1;
    value = 10 * value + (c - '0');
  }
  return value;
}

// What a clock is ahead of UTC, in seconds: "", "Z", "+02:00", "-0530" or "+02"; nothing for other texts.
std::optional<int> ahead(std::string_view zone) {
  if (zone.empty() || zone == "Z" || zone == "z") return 0;
  const bool colon = zone.size() == 6 && zone[3] == ':';
  if ((zone[0] != '+' && zone[0] != '-') || (zone.size() != 3 && zone.size() != 5 && !colon)) return std::nullopt;
  const int hours = part(zone, 1, 2), minutes = zone.size() == 3 ? 0 : part(zone, colon ? 4 : 3, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
  return (zone[0] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

// ".5" -> 0.5; nothing where digits are missing.
std::optional<double> fraction(std::string_view text) {
  if (text.empty()) return 0;
  return text.size() > 1 ? parse_number("0" + std::string(text)) : std::nullopt;
}

}  // namespace

double parse_timestamp(std::string_view text) {
  constexpr std::size_t plain = 19;  // 2017-07-24T13:00:00
  if (text.size() < plain || text[4] != '-' || text[7] != '-' || text[13] != ':' || text[16] != ':') return 0;
  const int y = part(text, 0, 4), mo = part(text, 5, 2), d = part(text, 8, 2), h = part(text, 11, 2),
            mi = part(text, 14, 2), s = part(text, 17, 2);
  const year_month_day date{year(y), month(static_cast<unsigned>(mo)), day(static_cast<unsigned>(d))};
  if (y < 0 || mo < 0 || d < 0 || h < 0 || h > 23 || mi < 0 || mi > 59 || s < 0 || s > 60 || !date.ok()) return 0;
  const std::string_view rest = text.substr(plain);
  const bool divided = rest.starts_with('.');
  const std::size_t end = divided ? std::min(rest.find_first_not_of("0123456789", 1), rest.size()) : 0;
  const auto part_of_second = fraction(rest.substr(0, end));
  const auto zone = ahead(rest.substr(end));
  if (!part_of_second || !zone) return 0;
  return static_cast<double>(sys_days(date).time_since_epoch().count()) * 86400.0 + h * 3600 + mi * 60 + s - *zone +
         *part_of_second;
}

std::string format_timestamp(double seconds) {
  // Up to the year 9999.
  const double bounded = std::isfinite(seconds) ? std::fmin(std::fmax(seconds, 0.0), 253402300799.0) : 0.0;
  const auto ticks = static_cast<long long>(std::llround(bounded * 1e7));
  const sys_days date{days(ticks / 864'000'000'000)};
  const year_month_day ymd(date);
  const long long rest = ticks % 864'000'000'000, second = rest / 10'000'000;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:07}Z", static_cast<int>(ymd.year()),
                     static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()), second / 3600,
                     second / 60 % 60, second % 60, rest % 10'000'000);
}

}  // namespace neuralts
