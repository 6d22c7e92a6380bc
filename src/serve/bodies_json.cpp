#include "serve/bodies_json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace neuralts::serve {

namespace {

/// The dotted name of a field inside another.
std::string joined(const std::string& prefix, std::string_view key) { return prefix.empty() ? std::string(key) : prefix + "." + std::string(key); }

struct Flattening {
  const BodyLimits& limits;
  FieldTable& out;
  const std::string& field;  // of the whole, for messages

  std::string where(const std::string& name) const { return name.empty() ? field : field + "." + name; }

  void object(const Object& value, const std::string& name, std::size_t depth) {
    if (depth > limits.depth_max) throw Problem(422, where(name), fmt::format("more than {} objects inside each other", limits.depth_max));
    check_keys(value, where(name));
    for (const auto& [key, item] : value) any(item, joined(name, key), depth + 1);
  }

  void array(const Array& values, const std::string& name, std::size_t depth) {
    std::size_t position = 0;
    for (const Element item : values) {
      const std::string place = item.is_number() ? fmt::format("{}[{}]", name, position) : name;
      if (item.is_array()) throw Problem(422, where(name), "a list inside a list cannot be read as features");
      any(item, place, depth + 1);
      ++position;
    }
  }

  void any(const Element& value, const std::string& name, std::size_t depth) {
    if (value.is_object()) return object(value.get_object(), name, depth);
    if (value.is_array()) return array(value.get_array(), name, depth);
    if (name.size() > limits.id_bytes_max) throw Problem(422, field, fmt::format("a name of more than {} bytes", limits.id_bytes_max));
    if (value.is_string()) {
      const std::string_view text = value.get_string();
      if (text.size() > limits.text_bytes_max)
        throw Problem(422, where(name), fmt::format("a text of more than {} bytes", limits.text_bytes_max));
      out.add(Field::of(name, text));
    } else if (value.is_bool()) {
      out.add(Field::truth_of(name, value.get_bool()));
    } else if (value.is_null()) {
      out.add(Field::missing_of(name));
    } else {
      out.add(Field::of(name, static_cast<double>(narrowed(number_in(value, where(name)), where(name)))));
    }
  }
};

}  // namespace

Element BodyParser::Json::parse(std::string_view body) {
  Element root;
  const auto error = parser.parse(body.data(), body.size()).get(root);
  if (error) throw Problem(400, "", fmt::format("the body is not JSON: {}", simdjson::error_message(error)));
  return root;
}

Object object_in(const Element& value, const std::string& field) {
  if (!value.is_object()) throw Problem(422, field, "an object is needed");
  return value.get_object();
}

Array array_in(const Element& value, const std::string& field) {
  if (!value.is_array()) throw Problem(422, field, "a list is needed");
  return value.get_array();
}

std::string_view text_in(const Element& value, const std::string& field) {
  if (!value.is_string()) throw Problem(422, field, "a text is needed");
  return value.get_string();
}

double number_in(const Element& value, const std::string& field) {
  double number = 0;
  if (value.get_double().get(number) != simdjson::SUCCESS) throw Problem(422, field, "a number is needed");
  return number;
}

bool truth_in(const Element& value, const std::string& field) {
  if (!value.is_bool()) throw Problem(422, field, "true or false is needed");
  return value.get_bool();
}

float narrowed(double value, const std::string& field) {
  if (!(std::abs(value) <= std::numeric_limits<float>::max())) throw Problem(422, field, "a number beyond single precision");
  return static_cast<float>(value);
}

void check_keys(const Object& object, const std::string& field) {
  std::string_view seen[32];
  std::set<std::string_view> many;
  std::size_t count = 0;
  for (const auto& [key, value] : object) {
    const bool twice = count < 32 ? std::find(seen, seen + count, key) != seen + count
                                  : std::find(seen, seen + 32, key) != seen + 32 || !many.insert(key).second;
    if (twice) throw Problem(422, field.empty() ? std::string(key) : field + "." + std::string(key), "the key stands twice");
    if (count < 32) seen[count] = key;
    ++count;
  }
}

void flatten(const Element& value, const std::string& field, const BodyLimits& limits, FieldTable& out) {
  Flattening work{limits, out, field};
  if (value.is_object()) return work.object(value.get_object(), "", 1);
  for (const Element item : array_in(value, field)) work.object(object_in(item, field), "", 1);
}

void start_action(FieldTable& out, std::string_view id) {
  out.start_row();
  out.add(Field::of("id", id));
}

void index_ids(const std::vector<std::string>& ids, std::unordered_map<std::string_view, std::uint32_t>& out) {
  out.clear();
  for (std::uint32_t k = 0; k < ids.size(); ++k)
    if (!out.emplace(ids[k], k).second) throw Problem(422, fmt::format("actions[{}].id", k), fmt::format("'{}' stands twice", ids[k]));
}

std::vector<std::uint32_t> excluded_in(const Element& list, const std::string& field,
                                       const std::unordered_map<std::string_view, std::uint32_t>& positions) {
  std::vector<std::uint32_t> excluded;
  for (const Element item : array_in(list, field)) {
    const auto found = positions.find(text_in(item, field));
    if (found == positions.end()) throw Problem(422, field, fmt::format("'{}' is not among the actions", item.get_string().value()));
    excluded.push_back(found->second);
  }
  std::sort(excluded.begin(), excluded.end());
  excluded.erase(std::unique(excluded.begin(), excluded.end()), excluded.end());
  return excluded;
}

std::uint32_t first_eligible(std::size_t actions, const std::vector<std::uint32_t>& excluded, const std::string& field) {
  std::uint32_t k = 0;
  while (k < excluded.size() && excluded[k] == k) ++k;
  if (k == actions) throw Problem(422, field, "every action is excluded: leave at least one");
  return k;
}

}  // namespace neuralts::serve
