#include "feature/schema_json.hpp"

#include <algorithm>
#include <cmath>

#include "base/shallow_json.hpp"
#include "base/text.hpp"
#include "feature/layout.hpp"

namespace neuralts {

namespace {

constexpr std::size_t most = 1'000'000;

[[noreturn]] void fail(const std::string& where, const std::string& what, const std::string& hint = "") {
  throw Error(ErrorCode::bad_spec, where, what, hint);
}

double read_number(const nlohmann::json& object, const char* key, double otherwise, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if (!found->is_number() || !std::isfinite(found->get<double>()))
    fail(where, std::string("\"") + key + "\" is not a finite number");
  return found->get<double>();
}

std::vector<std::string> read_values(const nlohmann::json& object, const std::string& where) {
  std::vector<std::string> values;
  const auto found = object.find("values");
  if (found == object.end()) return values;
  if (!found->is_array()) fail(where, "\"values\" is not a list");
  for (const auto& item : *found) {
    if (!item.is_string()) fail(where, "\"values\" holds something that is not a text");
    values.push_back(item.get<std::string>());
  }
  std::sort(values.begin(), values.end());
  const auto twice = std::adjacent_find(values.begin(), values.end());
  if (twice != values.end()) fail(where, "the value '" + *twice + "' is listed twice");
  return values;
}

Feature read_feature(const std::string& name, const nlohmann::json& given, const std::string& where) {
  Feature feature;
  feature.name = name;
  if (given.is_string()) {
    feature.kind = kind_of(given.get<std::string>(), where);
  } else {
    if (!given.is_object()) fail(where, "a kind, or an object with \"kind\", is needed");
    refuse_unknown_keys(given, {"kind", "mean", "deviation", "curved", "values", "hashed"}, where);
    const auto kind = given.find("kind");
    if (kind == given.end() || !kind->is_string())
      fail(where, "there is no \"kind\"", "number, category, truth, list, id or ignored");
    feature.kind = kind_of(kind->get<std::string>(), where);
    feature.mean = read_number(given, "mean", 0, where);
    feature.deviation = read_number(given, "deviation", 1, where);
    if (!(feature.deviation > 0))
      fail(where, "the deviation is " + format_number(feature.deviation), "above 0 is needed");
    feature.curved = feature.kind == FeatureKind::number && read_truth(given, "curved", false, where);
    feature.values = read_values(given, where);
    feature.hashed = read_count(given, "hashed", 0, where);
    feature.learned = given.size() == 1;
  }
  if (feature.kind == FeatureKind::truth || feature.kind == FeatureKind::ignored) feature.learned = false;
  return feature;
}

}  // namespace

nlohmann::json parse_object(std::string_view json, const std::string& where) {
  auto object = parse_shallow(json, [&](const std::string& key) {
    fail(where, "the key '" + key + "' stands twice", "leave one of them out");
  });
  if (!object || !object->is_object()) fail(where, "this is not a JSON object", "see the example at parse_features");
  return std::move(*object);
}

void refuse_unknown_keys(const nlohmann::json& object, const std::vector<std::string>& known,
                         const std::string& where) {
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      fail(where, "unknown key '" + key + "'", suggest(key, known));
}

std::vector<Feature> features_from_json(const nlohmann::json& object, const char* key, std::size_t most_slots,
                                        const std::string& where) {
  std::vector<Feature> features;
  const auto found = object.find(key);
  if (found == object.end()) return features;
  if (!found->is_object()) fail(where, std::string("\"") + key + "\" is not an object of fields");
  for (const auto& [name, given] : found->items())  // nlohmann::json keeps keys in alphabetical order
    features.push_back(read_feature(name, given, where + ", " + key + " field '" + name + "'"));
  if (const std::size_t slots = slots_of(features); slots > most_slots)
    fail(where, std::string("\"") + key + "\" takes " + std::to_string(slots) + " numbers",
         "give it fewer fields, or less of \"hashed\": " + std::to_string(most_slots) + " are the most");
  return features;
}

bool read_truth(const nlohmann::json& object, const char* key, bool otherwise, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if (!found->is_boolean()) fail(where, std::string("\"") + key + "\" is not true or false");
  return found->get<bool>();
}

std::size_t read_count(const nlohmann::json& object, const char* key, std::size_t otherwise,
                       const std::string& where) {
  const double number = read_number(object, key, static_cast<double>(otherwise), where);
  if (!(number >= 0 && number <= static_cast<double>(most) && number == std::floor(number)))
    fail(where, std::string("\"") + key + "\" is " + format_number(number),
         "a whole number from 0 to " + std::to_string(most) + " is needed");
  return static_cast<std::size_t>(number);
}

}  // namespace neuralts
