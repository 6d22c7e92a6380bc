#include "serve/http/plain_request.hpp"

#include "base/whole_number.hpp"

namespace neuralts::serve {

namespace {

constexpr std::string_view line_end = "\r\n", header_end = "\r\n\r\n";

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

/// `name` in small letters.
bool begins_with(std::string_view line, std::string_view name) {
  if (line.size() < name.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i)
    if (small(line[i]) != name[i]) return false;
  return true;
}

/// Names that begin as Connection, Expect, Transfer-Encoding, Trailer and Upgrade do: whatever they say is for the
/// parser; so is a line that goes on from the one before.
bool needs_parser(std::string_view line) {
  const char first = line.empty() ? ' ' : small(line[0]);
  return first == 'e' || first == 't' || first == 'u' || first == ' ' || first == '\t' ||
         begins_with(line, "connection");
}

std::optional<std::size_t> read_length(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  return parse_whole<std::size_t>(text);
}

}  // namespace

std::size_t plain_request_size(std::string_view text) {
  constexpr std::string_view length_field = "content-length:";
  constexpr std::size_t length_max = std::size_t{1} << 30;
  const auto end = text.find(header_end);
  if (end == std::string_view::npos || !text.starts_with("POST ")) return 0;
  std::string_view rest = text.substr(0, end + line_end.size());
  std::string_view line = rest.substr(0, rest.find(line_end));
  if (!line.ends_with(" HTTP/1.1")) return 0;
  std::optional<std::size_t> length;
  for (rest.remove_prefix(line.size() + line_end.size()); !rest.empty();
       rest.remove_prefix(line.size() + line_end.size())) {
    line = rest.substr(0, rest.find(line_end));
    if (needs_parser(line)) return 0;
    if (!begins_with(line, length_field)) continue;
    if (length) return 0;
    length = read_length(line.substr(length_field.size()));
    if (!length || *length > length_max) return 0;
  }
  if (!length) return 0;
  const std::size_t size = end + header_end.size() + *length;
  return size <= text.size() ? size : 0;
}

}  // namespace neuralts::serve
