#include "serve/bodies_json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "serve/seen_texts.hpp"

namespace neuralts::serve {

namespace {

/// Walks an object; `name_` is the dotted name of where it stands.
class Flattening {
 public:
  Flattening(const BodyLimits& limits, FieldTable& out, const Place& place, std::string_view prefix)
      : limits_(limits), out_(out), place_(place), name_(prefix) {}

  void object(const Object& value, std::size_t depth) {
    if (depth > limits_.depth_max)
      throw Problem(422, where(), fmt::format("more than {} objects inside each other", limits_.depth_max));
    check_keys(value, name_.empty() ? place_ : Place(place_, name_));
    const std::size_t before = name_.size();
    for (const auto& [key, item] : value) {
      if (before > 0) name_ += '.';
      name_ += key;
      any(item, depth + 1);
      name_.resize(before);
    }
  }

 private:
  std::string where() const { return Place(place_, name_).text(); }

  void array(const Array& values, std::size_t depth) {
    const std::size_t before = name_.size();
    std::size_t position = 0;
    for (const Element item : values) {
      if (item.is_array()) throw Problem(422, where(), "a list inside a list cannot be read as features");
      if (item.is_number()) name_ += '[' + std::to_string(position) + ']';
      any(item, depth + 1);
      name_.resize(before);
      ++position;
    }
  }

  void any(const Element& value, std::size_t depth) {
    switch (value.type()) {
      case simdjson::dom::element_type::OBJECT: return object(value.get_object(), depth);
      case simdjson::dom::element_type::ARRAY: return array(value.get_array(), depth);
      default: break;
    }
    if (name_.size() > limits_.id_bytes_max)
      throw Problem(422, place_.text(), fmt::format("a name of more than {} bytes", limits_.id_bytes_max));
    leaf(value);
  }

  void leaf(const Element& value) {
    switch (value.type()) {
      case simdjson::dom::element_type::STRING: return text(value.get_string());
      case simdjson::dom::element_type::BOOL: return out_.add(Field::truth_of(name_, value.get_bool()));
      case simdjson::dom::element_type::NULL_VALUE: return out_.add(Field::missing_of(name_));
      default: break;
    }
    const Place here(place_, name_);
    out_.add(Field::of(name_, static_cast<double>(narrowed(number_in(value, here), here))));
  }

  void text(std::string_view value) {
    if (value.size() > limits_.text_bytes_max)
      throw Problem(422, where(), fmt::format("a text of more than {} bytes", limits_.text_bytes_max));
    out_.add(Field::of(name_, value));
  }

  const BodyLimits& limits_;
  FieldTable& out_;
  const Place& place_;
  std::string name_;
};

}  // namespace

Element BodyParser::Json::parse(std::string_view body) {
  Element root;
  const auto error = parser.parse(body.data(), body.size()).get(root);
  if (error == simdjson::NUMBER_ERROR)
    throw Problem(400, "", "a number cannot be read: a whole one of more than 64 bits is written as 1.2e22, or as a text where it is a name");
  if (error) throw Problem(400, "", fmt::format("the body is not JSON: {}", simdjson::error_message(error)));
  return root;
}

Object object_in(const Element& value, const Place& place) {
  if (!value.is_object()) throw Problem(422, place.text(), "an object is needed");
  return value.get_object();
}

Array array_in(const Element& value, const Place& place) {
  if (!value.is_array()) throw Problem(422, place.text(), "a list is needed");
  return value.get_array();
}

std::string_view text_in(const Element& value, const Place& place) {
  if (!value.is_string()) throw Problem(422, place.text(), "a text is needed");
  return value.get_string();
}

double number_in(const Element& value, const Place& place) {
  double number = 0;
  if (value.get_double().get(number) != simdjson::SUCCESS) throw Problem(422, place.text(), "a number is needed");
  return number;
}

bool truth_in(const Element& value, const Place& place) {
  if (!value.is_bool()) throw Problem(422, place.text(), "true or false is needed");
  return value.get_bool();
}

float narrowed(double value, const Place& place) {
  if (!(std::abs(value) <= std::numeric_limits<float>::max()))
    throw Problem(422, place.text(), "a number beyond single precision");
  return static_cast<float>(value);
}

namespace {

/// An object of few keys is compared key by key.
constexpr std::size_t few_keys = 6;

void check_few_keys(const Object& object, const Place& place) {
  for (auto at = object.begin(); at != object.end(); ++at)
    for (auto before = object.begin(); before != at; ++before)
      if (before.key() == at.key()) throw Problem(422, Place(place, at.key()).text(), "the key stands twice");
}

}  // namespace

void check_keys(const Object& object, const Place& place) {
  if (object.size() <= few_keys) return check_few_keys(object, place);
  SeenTexts seen;
  for (const auto& [key, value] : object)
    if (!seen.add(key)) throw Problem(422, Place(place, key).text(), "the key stands twice");
}

void flatten(const Element& value, const Place& place, const BodyLimits& limits, FieldTable& out,
             std::string_view prefix) {
  Flattening work(limits, out, place, prefix);
  if (value.is_object()) return work.object(value.get_object(), 1);
  for (const Element item : array_in(value, place)) work.object(object_in(item, place), 1);
}

namespace {

constexpr std::string_view id_feature = "id";

}  // namespace

void start_action(FieldTable& out, std::string_view id) {
  out.start_row();
  out.add(Field::of(id_feature, id));
}

void add_features(const Element& value, const Place& place, const BodyLimits& limits, FieldTable& out) {
  flatten(value, place, limits, out);
  const Fields all = out.row(out.rows() - 1);
  if (std::any_of(all.begin() + 1, all.end(), [](const Field& field) { return field.name == id_feature; }))
    throw Problem(422, Place(place, id_feature).text(), "the action's own id is the feature of that name: call this one something else");
}

namespace {

template <class Item, class IdOf>
void check_distinct(const std::vector<Item>& items, const char* list, IdOf id_of) {
  SeenTexts seen;
  for (std::size_t k = 0; k < items.size(); ++k)
    if (!seen.add(id_of(items[k])))
      throw Problem(422, fmt::format("{}[{}].id", list, k), fmt::format("'{}' stands twice", id_of(items[k])));
}

}  // namespace

void check_distinct(const std::vector<std::string>& ids) {
  check_distinct(ids, "actions", [](const std::string& id) -> const std::string& { return id; });
}
void check_distinct(const std::vector<SlotBody>& slots) {
  check_distinct(slots, "slots", [](const SlotBody& slot) -> const std::string& { return slot.id; });
}

Positions::Positions(const std::vector<std::string>& ids) {
  for (std::uint32_t k = 0; k < ids.size(); ++k) positions_.emplace(ids[k], k);
}

std::uint32_t Positions::of(std::string_view id, const Place& place) const {
  const auto found = positions_.find(id);
  if (found == positions_.end()) throw Problem(422, place.text(), fmt::format("'{}' is not among the actions", id));
  return found->second;
}

std::vector<std::uint32_t> Positions::of_all(const Element& list, const Place& place) const {
  std::vector<std::uint32_t> all;
  for (const Element item : array_in(list, place)) all.push_back(of(text_in(item, place), place));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void read_slot_features(const Element& value, const Place& place, const BodyLimits& limits, Form form,
                        SlotBody& out) {
  if (form == Form::vectors)
    throw Problem(422, place.text(), "actions with vectors leave no room for a slot's features: use objects");
  out.features.start_row();
  flatten(value, place, limits, out.features, "slot");
}

std::uint32_t first_eligible(std::size_t actions, const std::vector<std::uint32_t>& excluded, const Place& place) {
  std::uint32_t k = 0;
  while (k < excluded.size() && excluded[k] == k) ++k;
  if (k == actions) throw Problem(422, place.text(), "every action is excluded: leave at least one");
  return k;
}

}  // namespace neuralts::serve
