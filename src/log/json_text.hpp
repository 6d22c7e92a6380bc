// JSON written by hand into a growing line: numbers as the shortest text that reads back as the same double.
#pragma once

#include <charconv>
#include <span>
#include <string>
#include <string_view>

#include "neuralts/fields.hpp"

namespace neuralts {

/// REQUIRES a finite value.
template <class Number>
void append_number(std::string& out, Number value) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// In quotes, escaped; bytes that are not UTF-8 become U+FFFD.
void append_text(std::string& out, std::string_view text);
/// {"name":value,...}, a name that comes again as a list.
void append_object(std::string& out, Fields fields);
/// The same without the braces.
void append_members(std::string& out, Fields fields);

template <class Values, class Append>
void append_list(std::string& out, const Values& values, const Append& append) {
  out += '[';
  bool first = true;
  for (const auto& value : values) {
    if (!first) out += ',';
    first = false;
    append(out, value);
  }
  out += ']';
}

template <class Values>
void append_numbers(std::string& out, const Values& values) {
  append_list(out, values, [](std::string& text, const auto& value) { append_number(text, value); });
}

template <class Values>
void append_texts(std::string& out, const Values& values) {
  append_list(out, values, [](std::string& text, const auto& value) { append_text(text, value); });
}

}  // namespace neuralts
