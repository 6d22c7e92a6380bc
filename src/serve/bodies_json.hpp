// What the two dialects' parsers share. simdjson's door: included by the parsers alone.
#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include <unordered_map>

#include "serve/bodies.hpp"
#include "serve/problem.hpp"

namespace neuralts::serve {

using Element = simdjson::dom::element;
using Object = simdjson::dom::object;
using Array = simdjson::dom::array;

struct BodyParser::Json {
  simdjson::dom::parser parser;
  std::unordered_map<std::string_view, std::uint32_t> positions;  // of ids, while excluded ones are looked up
  /// Throws Problem(400).
  Element parse(std::string_view body);
};

// Each throws Problem(422) that names `field` when the value is of another kind.
Object object_in(const Element& value, const std::string& field);
Array array_in(const Element& value, const std::string& field);
std::string_view text_in(const Element& value, const std::string& field);
double number_in(const Element& value, const std::string& field);
bool truth_in(const Element& value, const std::string& field);
float narrowed(double value, const std::string& field);

/// Throws Problem(422) when a key stands twice.
void check_keys(const Object& object, const std::string& field);
/// Adds the flat fields of an object (or of a list of objects) to the newest row of `out`.
void flatten(const Element& value, const std::string& field, const BodyLimits& limits, FieldTable& out);

/// A row for an action. Its id is a feature like any other, so that an action earns a weight of its own.
void start_action(FieldTable& out, std::string_view id);

/// Index of every id; throws Problem(422) for an id that stands twice.
void index_ids(const std::vector<std::string>& ids, std::unordered_map<std::string_view, std::uint32_t>& out);
/// Indices of the ids in a list, ascending; throws Problem(422) for one that is not offered.
std::vector<std::uint32_t> excluded_in(const Element& list, const std::string& field,
                                       const std::unordered_map<std::string_view, std::uint32_t>& positions);
/// The first action that may be chosen; throws Problem(422) when there is none.
std::uint32_t first_eligible(std::size_t actions, const std::vector<std::uint32_t>& excluded, const std::string& field);

}  // namespace neuralts::serve
