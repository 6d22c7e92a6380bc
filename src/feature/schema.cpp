#include "feature/schema_json.hpp"

#include "feature/layout.hpp"

namespace neuralts {

namespace {

constexpr std::size_t most_slots = 8'000'000;  // declared ones, and a million that are learned beside them
constexpr const char* kind_names[] = {"number", "category", "truth", "list", "id", "ignored"};

using Json = nlohmann::ordered_json;

Json list_of(const std::vector<Feature>& features) {
  Json list = Json::object();
  for (const auto& feature : features) list[feature.name] = feature_to_json(feature);
  return list;
}

}  // namespace

const char* to_string(FeatureKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

FeatureKind kind_of(const std::string& text, const std::string& where) {
  for (std::size_t i = 0; i < std::size(kind_names); ++i)
    if (text == kind_names[i]) return static_cast<FeatureKind>(i);
  throw Error(ErrorCode::bad_spec, where, "unknown kind '" + text + "'",
              "known: number, category, truth, list, id, ignored");
}

std::size_t Feature::slots() const {
  switch (kind) {
    case FeatureKind::ignored: return 0;
    case FeatureKind::number: return curved ? 3 : 2;
    case FeatureKind::truth: return 2;
    default: return values.size() + (hashed > 0 ? hashed : 1) + 1;
  }
}

std::size_t Schema::length() const { return Layout(*this).length(); }
std::size_t Schema::context_length() const { return 1 + slots_of(context); }

nlohmann::ordered_json feature_to_json(const Feature& feature) {
  Json out = {{"kind", to_string(feature.kind)}};
  if (feature.learned) return out;
  if (feature.kind == FeatureKind::number) {
    out["mean"] = feature.mean;
    out["deviation"] = feature.deviation;
    if (feature.curved) out["curved"] = true;
  } else if (feature.kind != FeatureKind::truth && feature.kind != FeatureKind::ignored) {
    out["values"] = feature.values;
    if (feature.hashed > 0) out["hashed"] = feature.hashed;
  }
  return out;
}

nlohmann::ordered_json features_to_json(const std::vector<Feature>& features) { return list_of(features); }

std::string Schema::to_json() const {
  return Json{{"context", list_of(context)},
              {"action", list_of(action)},
              {"interactions", interactions},
              {"personal_ids", personal_ids},
              {"cross_gaps", cross_gaps},
              {"interaction_slots", interaction_slots},
              {"strict", strict}}
      .dump();
}

Schema Schema::from_json(std::string_view json, const std::string& where) {
  const auto object = parse_object(json, where);
  refuse_unknown_keys(object, {"context", "action", "interactions", "personal_ids", "cross_gaps", "interaction_slots", "strict"}, where);
  Schema schema;
  schema.context = features_from_json(object, "context", most_slots, where);
  schema.action = features_from_json(object, "action", most_slots, where);
  schema.interactions = read_truth(object, "interactions", true, where);
  schema.personal_ids = read_truth(object, "personal_ids", false, where);
  schema.cross_gaps = read_truth(object, "cross_gaps", true, where);
  schema.interaction_slots = read_count(object, "interaction_slots", 0, where);
  schema.strict = read_truth(object, "strict", false, where);
  for (auto* part : {&schema.context, &schema.action})
    for (auto& feature : *part) feature.learned = false;
  return schema;
}

}  // namespace neuralts
