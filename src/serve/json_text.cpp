#include "serve/json_text.hpp"

#include <charconv>

namespace neuralts::serve {

namespace {

template <class T>
void put_shortest(std::string& out, T value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  out.append(text, end);
}

}  // namespace

void put_quoted(std::string& out, std::string_view text) {
  constexpr const char* hex = "0123456789abcdef";
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
    } else {
      out += c;
    }
  }
  out += '"';
}

void put_number(std::string& out, double value) { put_shortest(out, value); }
void put_number(std::string& out, float value) { put_shortest(out, value); }

std::string quoted(std::string_view text) {
  std::string out;
  put_quoted(out, text);
  return out;
}

}  // namespace neuralts::serve
