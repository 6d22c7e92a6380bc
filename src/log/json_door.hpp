// The one door to simdjson. Its document parser chooses the vector width at run time, as this library does.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "neuralts/fields.hpp"

namespace neuralts {

namespace json = simdjson::dom;

/// Bytes that must be readable after a text that is parsed in place.
inline constexpr std::size_t json_padding = simdjson::SIMDJSON_PADDING;

/// A text followed by json_padding readable bytes, parsed in place. Throws simdjson_error. The element and its
/// texts hold until the parser's next document.
inline json::element parse_json(json::parser& parser, std::string_view text) {
  return parser.parse(text.data(), text.size(), false);
}

/// Adds the fields of `object` to the last row of `table`. Keys with a leading underscore are left out where
/// `underscores` is false. Throws Error(bad_input, where) when nested too deep.
void add_fields(json::object object, FieldTable& table, bool underscores = true, const std::string& where = "JSON");

/// The same for one value under the name `name`.
void add_named_value(const std::string& name, json::element value, FieldTable& table, bool underscores = true,
                     const std::string& where = "JSON");

/// {"a": {"b": 1}} as a row of fields, from text of its own. Throws Error(bad_input).
void add_json_row(std::string_view text, FieldTable& table, const std::string& where);

}  // namespace neuralts
