// Objects as the journal keeps them: the names of fields once, then the rows (row 0 the context, then the actions).
#pragma once

#include <string>
#include <string_view>

#include "neuralts/fields.hpp"

namespace neuralts::serve {

/// All rows. Equal tables give equal bytes.
std::string field_bytes(const FieldTable& table);
/// Row 0 and row 1 + `action` alone.
std::string field_bytes_of(const FieldTable& table, std::size_t action);

/// Throws Error(corrupt).
void read_fields(std::string_view bytes, FieldTable& out);
/// Row 0 and row 1 + `action` alone.
void read_fields_of(std::string_view bytes, std::size_t action, FieldTable& out);

}  // namespace neuralts::serve
