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

// Behind the text, or the comment, that begins at `at`; `at` itself where neither does.
inline std::size_t skip_text(std::string_view text, std::size_t at) {
  const char quote = text[at];
  if (quote == '#') return std::min(text.find('\n', at), text.size());
  if (quote != '"' && quote != '\'') return at;
  const bool long_one = text.substr(at).starts_with(std::string(3, quote));
  const std::string end(long_one ? 3 : 1, quote);
  for (at += end.size(); at < text.size() && !text.substr(at).starts_with(end); ++at) {
    if (text[at] == '\n' && !long_one) return at;
    if (text[at] == '\\' && quote == '"') ++at;
  }
  for (at += end.size(); long_one && at < text.size() && text[at] == quote;) ++at;
  return std::min(at, text.size());
}

// The first byte that is not ASCII, outside of texts and comments: no TOML has one there, and toml++ 3 runs into undefined behaviour where
// it looks for white space and finds one.
inline std::size_t find_unreadable(std::string_view text) {
  for (std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < text.size();) {
    if (const std::size_t behind = skip_text(text, at); behind > at) at = behind;
    else if (static_cast<unsigned char>(text[at]) < 0x80) ++at;
    else return at;
  }
  return text.npos;
}

}  // namespace toml_door

/// Throws Error(bad_input), with `hint`, for what is no TOML.
inline toml::table read_toml(std::string_view text, const std::string& path, const std::string& hint) {
  const auto refuse = [&](auto line, const std::string& what, const std::string& to_do) {
    throw Error(ErrorCode::bad_input, fmt::format("{}:{}", path, line), what, to_do);
  };
  if (const std::size_t at = toml_door::find_unreadable(text); at != text.npos)
    refuse(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'), "a character that is not ASCII stands outside of a text",
           "put it between quotes");
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& problem) {
    refuse(problem.source().begin.line, std::string(problem.description()), hint);
  }
  return {};
}

}  // namespace neuralts
