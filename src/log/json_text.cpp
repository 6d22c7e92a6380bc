#include "log/json_text.hpp"

#include "base/utf8.hpp"

namespace neuralts {

namespace {

void append_value(std::string& out, const Field& field) {
  switch (field.kind) {
    case Field::Kind::missing: out += "null"; return;
    case Field::Kind::truth: out += field.number != 0 ? "true" : "false"; return;
    case Field::Kind::number: append_number(out, field.number); return;
    case Field::Kind::text: append_text(out, field.text); return;
  }
}

bool named_before(Fields fields, std::size_t at) {
  for (std::size_t i = 0; i < at; ++i)
    if (fields[i].name == fields[at].name) return true;
  return false;
}

std::size_t next_of_name(Fields fields, std::size_t at) {
  std::size_t i = at + 1;
  while (i < fields.size() && fields[i].name != fields[at].name) ++i;
  return i;
}

// One value, or all of that name as a list.
void append_values(std::string& out, Fields fields, std::size_t at) {
  std::size_t next = next_of_name(fields, at);
  if (next == fields.size()) return append_value(out, fields[at]);
  out += '[';
  append_value(out, fields[at]);
  for (; next < fields.size(); next = next_of_name(fields, next)) {
    out += ',';
    append_value(out, fields[next]);
  }
  out += ']';
}

}  // namespace

void append_text(std::string& out, std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  const bool utf8 = is_utf8(text);
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += hex[byte >> 4];
      out += hex[byte & 15];
    } else if (byte >= 0x80 && !utf8) {
      out += "\\ufffd";
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_members(std::string& out, Fields fields) {
  bool first = true;
  for (std::size_t at = 0; at < fields.size(); ++at) {
    if (named_before(fields, at)) continue;
    if (!first) out += ',';
    first = false;
    append_text(out, fields[at].name);
    out += ':';
    append_values(out, fields, at);
  }
}

void append_object(std::string& out, Fields fields) {
  out += '{';
  append_members(out, fields);
  out += '}';
}

}  // namespace neuralts
