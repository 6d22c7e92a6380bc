// The one door of toml++: a text becomes a table, or an Error that names the line.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "neuralts/error.hpp"

namespace neuralts {

namespace toml_door {

// toml++ 3 runs into undefined behaviour where it looks for white space and finds a character from U+FB26 to U+FEFE: EF AC A6 .. EF BB BE.
inline std::size_t find_unreadable(std::string_view text) {
  constexpr std::string_view first = "\xEF\xAC\xA6", last = "\xEF\xBB\xBE";
  for (std::size_t at = text.find('\xEF'); at != text.npos; at = text.find('\xEF', at + 1))
    if (const auto character = text.substr(at, 3); character >= first && character <= last) return at;
  return text.npos;
}

}  // namespace toml_door

/// Throws Error(bad_input), with `hint`, for what is no TOML.
inline toml::table read_toml(std::string_view text, const std::string& path, const std::string& hint) {
  const auto refuse = [&](auto line, const std::string& what, const std::string& to_do) {
    throw Error(ErrorCode::bad_input, fmt::format("{}:{}", path, line), what, to_do);
  };
  if (const std::size_t at = toml_door::find_unreadable(text); at != text.npos)
    refuse(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'), "a character from U+FB26 to U+FEFE",
           "write it as \\uXXXX, in a string");
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& problem) {
    refuse(problem.source().begin.line, std::string(problem.description()), hint);
  }
  return {};
}

}  // namespace neuralts
