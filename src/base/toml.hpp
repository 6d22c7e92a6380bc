// The one door of toml++: a text becomes a table, or an Error that names the line.
//
// toml++ 3 runs into undefined behaviour where it looks for white space and finds a character that is not
// ASCII. It never sees one: every byte of theirs goes in as ~XX, its number, and so does ~ itself; the table's
// texts and keys are turned back.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "base/utf8.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace toml_door {

inline std::string hidden(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (const auto byte = static_cast<unsigned char>(c); byte < 0x80 && c != '~') out += c;
    else out += fmt::format("~{:02X}", byte);
  }
  return out;
}

inline std::string shown(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned char byte = 0;
    const auto digits = text.substr(at).substr(1, 2);
    const bool is_one = text[at] == '~' && digits.size() == 2 &&
                        std::from_chars(digits.data(), digits.data() + 2, byte, 16).ptr == digits.data() + 2;
    out += is_one ? static_cast<char>(byte) : text[at];
    if (is_one) at += 2;
  }
  return out;
}

inline void show(toml::node& node) {
  if (auto* text = node.as_string()) text->get() = shown(text->get());
  if (auto* list = node.as_array())
    for (auto& each : *list) show(each);
  auto* table = node.as_table();
  if (table == nullptr) return;
  toml::table with_keys;
  for (auto&& [key, value] : *table) {
    show(value);
    with_keys.insert_or_assign(toml::key(shown(key.str()), key.source()), std::move(value));
  }
  *table = std::move(with_keys);
}

/// The line of a key of very many parts, which toml++ would take the stack for; 0: there is none.
inline std::size_t line_of_endless_key(std::string_view text) {
  constexpr std::size_t parts_max = 1000;
  std::size_t line = 1, dots = 0;
  for (const char c : text) {
    if (c == '.' && ++dots > parts_max) return line;
    if (c == '\n') ++line;
    if (c == ',' || c == '\n') dots = 0;
  }
  return 0;
}

}  // namespace toml_door

/// Throws Error(bad_input), with `hint`, for what is no TOML.
inline toml::table read_toml(std::string_view text, const std::string& path, const std::string& hint) {
  if (!is_utf8(text)) throw Error(ErrorCode::bad_input, path, "it is not UTF-8", "save it as UTF-8");
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (const std::size_t line = toml_door::line_of_endless_key(text); line > 0)
    throw Error(ErrorCode::bad_input, fmt::format("{}:{}", path, line), "more than 1000 dots in one key or text", hint);
  try {
    toml::table table = toml::parse(toml_door::hidden(text), path);
    toml_door::show(table);
    return table;
  } catch (const toml::parse_error& problem) {
    throw Error(ErrorCode::bad_input, fmt::format("{}:{}", path, problem.source().begin.line),
                toml_door::shown(problem.description()), hint);
  }
}

}  // namespace neuralts
