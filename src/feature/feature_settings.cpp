#include <algorithm>

#include "base/text.hpp"
#include "feature/schema_json.hpp"

namespace neuralts {

namespace {

constexpr std::size_t most_slots = 4'000'000;  // of what is declared

}  // namespace

bool FeatureSettings::complete() const {
  const auto given = [](const Feature& feature) { return !feature.learned; };
  return !automatic && std::all_of(context.begin(), context.end(), given) &&
         std::all_of(action.begin(), action.end(), given);
}

std::string FeatureSettings::to_json() const {
  return nlohmann::ordered_json{{"automatic", automatic}, {"context", features_to_json(context)}, {"action", features_to_json(action)},
                                {"interactions", interactions}, {"personal_ids", personal_ids}, {"events", events}, {"size", size}, {"values", values}, {"id_slots", id_slots}}
      .dump();
}

FeatureSettings parse_features(std::string_view text) {
  const std::string where = "features";
  FeatureSettings settings;
  if (trim(text) == "auto") return settings;
  if (!trim(text).starts_with('{'))
    throw Error(ErrorCode::bad_spec, where,
                "'" + std::string(text) + "' is neither \"auto\" nor a JSON object");
  const auto object = parse_object(text, where);
  refuse_unknown_keys(object,
                      {"automatic", "context", "action", "interactions", "personal_ids", "events", "size",
                       "values", "id_slots"},
                      where);
  settings.context = features_from_json(object, "context", most_slots, where);
  settings.action = features_from_json(object, "action", most_slots, where);
  settings.automatic = read_truth(object, "automatic", settings.context.empty() && settings.action.empty(), where);
  settings.interactions = read_truth(object, "interactions", settings.interactions, where);
  settings.personal_ids = read_truth(object, "personal_ids", settings.personal_ids, where);
  settings.events = read_count(object, "events", settings.events, where);
  settings.size = read_count(object, "size", settings.size, where);
  settings.values = read_count(object, "values", settings.values, where);
  settings.id_slots = read_count(object, "id_slots", settings.id_slots, where);
  if (settings.events == 0 && !settings.complete())
    throw Error(ErrorCode::bad_spec, where, "\"events\" is 0",
                "a schema that is learned needs to see events; or give every field's numbers");
  return settings;
}

}  // namespace neuralts
