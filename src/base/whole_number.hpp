// A whole number's text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace neuralts {

/// What `text` says; nothing when it is more or less than a whole number, or one that Whole does not hold.
template <class Whole>
std::optional<Whole> parse_whole(std::string_view text) {
  Whole value{};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

}  // namespace neuralts
