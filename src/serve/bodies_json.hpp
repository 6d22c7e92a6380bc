// What the two dialects' parsers share. simdjson's door: included by the parsers alone.
#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include <unordered_map>

#include "serve/bodies.hpp"
#include "serve/place.hpp"
#include "serve/problem.hpp"

namespace neuralts::serve {

using Element = simdjson::dom::element;
using Object = simdjson::dom::object;
using Array = simdjson::dom::array;

struct BodyParser::Json {
  simdjson::dom::parser parser;
  /// Throws Problem(400).
  Element parse(std::string_view body);
};

// Each throws Problem(422) that names the place when the value is of another kind.
Object object_in(const Element& value, const Place& place);
Array array_in(const Element& value, const Place& place);
std::string_view text_in(const Element& value, const Place& place);
double number_in(const Element& value, const Place& place);
bool truth_in(const Element& value, const Place& place);
float narrowed(double value, const Place& place);

/// Throws Problem(422) when a key stands twice.
void check_keys(const Object& object, const Place& place);
/// Adds the flat fields of an object (or of a list of objects) to the newest row of `out`, each name after
/// `prefix`.
void flatten(const Element& value, const Place& place, const BodyLimits& limits, FieldTable& out,
             std::string_view prefix = "");

/// A row for an action. Its id is a feature like any other, so that an action earns a weight of its own.
void start_action(FieldTable& out, std::string_view id);
/// The features of the action that was started last. Throws Problem(422) for one called id, which stands there already.
void add_features(const Element& value, const Place& place, const BodyLimits& limits, FieldTable& out);

/// Throws Problem(422) for an id that stands twice.
void check_distinct(const std::vector<std::string>& ids);
void check_distinct(const std::vector<SlotBody>& slots);

/// Where each id stands, for bodies that name some of them again.
class Positions {
 public:
  explicit Positions(const std::vector<std::string>& ids);
  /// Throws Problem(422) for one that is not offered.
  std::uint32_t of(std::string_view id, const Place& place) const;
  /// Of the ids in a list, ascending.
  std::vector<std::uint32_t> of_all(const Element& list, const Place& place) const;

 private:
  std::unordered_map<std::string_view, std::uint32_t> positions_;
};

/// What a slot says of itself joins the context of the decision for it, each name after "slot.". Vectors have
/// no room for it:
/// Problem(422).
void read_slot_features(const Element& value, const Place& place, const BodyLimits& limits, Form form,
                        SlotBody& out);

/// The first action that may be chosen; throws Problem(422) when there is none.
std::uint32_t first_eligible(std::size_t actions, const std::vector<std::uint32_t>& excluded, const Place& place);

}  // namespace neuralts::serve
