// The description of the API, made from the table of routes.
#include <nlohmann/json.hpp>

#include "neuralts/version.hpp"
#include "serve/service_call.hpp"

namespace neuralts::serve {

namespace {

using nlohmann::json;

json object(json properties, json required = json::array()) {
  json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

json array(json items) { return {{"type", "array"}, {"items", std::move(items)}}; }
json ref(const std::string& name) { return {{"$ref", "#/components/schemas/" + name}}; }

const json text = {{"type", "string"}}, number = {{"type", "number"}}, whole = {{"type", "integer"}},
           truth = {{"type", "boolean"}};
json number_within(double most) { return {{"type", "number"}, {"minimum", -most}, {"maximum", most}}; }
const json any = {{"type", "object"}, {"additionalProperties", true}};

json native_schemas() {
  const json action = object({{"id", text}, {"features", any}, {"vector", array(number)}}, {"id"});
  const json offer = {{"context", any},
                      {"actions", array(action)},
                      {"excluded", array(text)},
                      {"event_id", text},
                      {"defer", truth}};
  const json ranking = array(object({{"id", text}, {"probability", number}}));
  json slots_offer = offer;
  slots_offer["slots"] = array(object({{"id", text}, {"excluded", array(text)}, {"features", any}}, {"id"}));
  const json slot = object({{"id", text}, {"action", text}, {"probability", number}});
  json schemas;
  schemas["Event"] = object(offer, {"actions"});
  schemas["RankedEvent"] = object({{"event_id", text},
                                   {"action", text},
                                   {"probability", number},
                                   {"ranking", ranking},
                                   {"model", whole},
                                   {"acknowledged", text}},
                                  {"event_id", "action", "probability", "ranking", "model", "acknowledged"});
  schemas["Rank"] = {{"oneOf", {ref("Event"), array(ref("Event"))}}};
  schemas["Ranked"] = {{"oneOf", {ref("RankedEvent"), array(ref("RankedEvent"))}}};
  schemas["RankSlots"] = object(slots_offer, {"actions", "slots"});
  schemas["RankedSlots"] = object(
      {{"slots", array(slot)}, {"event_id", text}, {"model", whole}, {"acknowledged", text}},
      {"slots", "event_id"});
  schemas["Reward"] = object({{"value", number_within(1e6)}, {"key", text}, {"slot", text}}, {"value"});
  json rewarded = {{"acknowledged", text}};
  for (const char* outcome : {"applied", "accepted", "duplicate", "late"}) rewarded[outcome] = truth;
  schemas["Rewarded"] = object(rewarded, {"acknowledged"});
  schemas["Activated"] = any;
  schemas["Rollback"] = object({{"version", whole}, {"resume", truth}});
  return schemas;
}

void add_loop_schemas(json& schemas) {
  const json reward = object({{"window_seconds", number}, {"default", {{"type", "number"}, {"nullable", true}}},
                              {"aggregation", {{"type", "string"}, {"enum", {"earliest", "average", "median", "sum", "min", "max"}}}}});
  schemas["Configuration"] = object({{"policy", text}, {"preset", text}, {"params", any}, {"seed", whole}, {"length", whole}, {"features", json::object()},
                                     {"reward", reward}, {"mode", {{"type", "string"}, {"enum", {"online", "apprentice", "logging"}}}},
                                     {"exploration", number}, {"keep_features", number}, {"holdout", number}, {"publish_seconds", number},
                                     {"checkpoint_seconds", number}, {"retention_days", whole}});
  schemas["Loop"] = object({{"name", text},
                            {"revision", whole},
                            {"model", whole},
                            {"pinned", truth},
                            {"configuration", ref("Configuration")}},
                           {"name", "revision", "model", "pinned", "configuration"});
  schemas["Loops"] = object({{"loops", array(ref("Loop"))}}, {"loops"});
  schemas["Models"] = object({{"models", array(any)}}, {"models"});
  schemas["Stats"] = any;
  schemas["Evaluation"] = any;
  schemas["Status"] = object({{"status", text}}, {"status"});
  schemas["Any"] = any;
  schemas["Text"] = text;
  schemas["Html"] = text;
  schemas["Bytes"] = {{"type", "string"}, {"format", "binary"}};
  schemas["Problem"] = object(
      {{"type", text}, {"title", text}, {"status", whole}, {"detail", text}, {"field", text}},
      {"title", "status", "detail"});
}

void add_personalizer_schemas(json& schemas) {
  const json action = object({{"id", text}, {"features", array(any)}}, {"id"});
  const json ranking = array(object({{"id", text}, {"probability", number}}));
  schemas["PersonalizerRank"] = object({{"contextFeatures", array(any)},
                                        {"actions", array(action)},
                                        {"excludedActions", array(text)},
                                        {"eventId", text},
                                        {"deferActivation", truth}},
                                       {"actions"});
  schemas["PersonalizerRanked"] = object({{"ranking", ranking}, {"eventId", text}, {"rewardActionId", text}},
                                         {"ranking", "eventId", "rewardActionId"});
  schemas["PersonalizerReward"] = object({{"value", number_within(1)}}, {"value"});
  schemas["PersonalizerConfiguration"] = object({{"rewardWaitTime", text},
                                                 {"defaultReward", number},
                                                 {"rewardAggregation", text},
                                                 {"explorationPercentage", number},
                                                 {"modelExportFrequency", text},
                                                 {"logRetentionDays", whole},
                                                 {"learningMode", text}});
  const json slot = object(
      {{"id", text}, {"features", array(any)}, {"excludedActions", array(text)}, {"baselineAction", text}},
      {"id", "baselineAction"});
  schemas["PersonalizerSlots"] = object({{"contextFeatures", array(any)},
                                         {"actions", array(action)},
                                         {"slots", array(slot)},
                                         {"eventId", text},
                                         {"deferActivation", truth}},
                                        {"actions", "slots"});
  schemas["PersonalizerRankedSlots"] = object(
      {{"slots", array(object({{"id", text}, {"rewardActionId", text}}))}, {"eventId", text}},
      {"slots", "eventId"});
  schemas["PersonalizerSlotReward"] = object(
      {{"reward", array(object({{"slotId", text}, {"value", number_within(1)}}))}}, {"reward"});
}

std::string type_of(const std::string& schema) {
  if (schema == "Bytes") return "application/octet-stream";
  if (schema == "Html") return "text/html";
  return schema == "Text" ? "text/plain" : "application/json";
}

json content(const std::string& schema) { return {{type_of(schema), {{"schema", ref(schema)}}}}; }

json parameters(const Route& route) {
  json list = json::array();
  const std::string_view pattern = route.pattern;
  for (auto at = pattern.find('{'); at != std::string_view::npos; at = pattern.find('{', at + 1)) {
    const std::string name(pattern.substr(at + 1, pattern.find('}', at) - at - 1));
    list.push_back({{"name", name}, {"in", "path"}, {"required", true}, {"schema", text}});
  }
  for (const char* name : route.queries) list.push_back({{"name", name}, {"in", "query"}, {"schema", text}});
  return list;
}

json operation(const Route& route) {
  json out = {{"summary", route.summary}, {"responses", json::object()}, {"x-role", name_of(route.role)}};
  if (const json list = parameters(route); !list.empty()) out["parameters"] = list;
  if (route.request != nullptr) out["requestBody"] = {{"required", true}, {"content", content(route.request)}};
  if (std::string_view(route.pattern) == "/v1/loops/{loop}/rank")
    out["requestBody"]["content"]["application/octet-stream"] = {{"schema", ref("Bytes")}};
  for (const int status : route.statuses) {
    json& response = out["responses"][std::to_string(status)] = {{"description", reason(status)}};
    if (status < 300 && route.response != nullptr) response["content"] = content(route.response);
    if (status >= 400) response["content"] = {{"application/problem+json", {{"schema", ref("Problem")}}}};
  }
  for (const int status : {400, 401, 403, 404, 405, 413, 415, 429, 503})
    out["responses"][std::to_string(status)] = {
        {"description", reason(status)},
        {"content", {{"application/problem+json", {{"schema", ref("Problem")}}}}}};
  if (route.role == Role::open) out["security"] = json::array();
  return out;
}

std::string lower(std::string word) {
  for (char& c : word) c = static_cast<char>(std::tolower(c));
  return word;
}

}  // namespace

std::string openapi_json() {
  json schemas = native_schemas();
  add_loop_schemas(schemas);
  add_personalizer_schemas(schemas);
  json paths;
  for (const Route& route : routes()) paths[route.pattern][lower(route.method)] = operation(route);
  const json document = {
      {"openapi", "3.0.3"},
      {"info", {{"title", "neuralts decision service"}, {"version", version()}, {"license", {{"name", "MIT"}}}}},
      {"paths", paths},
      {"components", {{"schemas", schemas}, {"securitySchemes", {{"bearer", {{"type", "http"}, {"scheme", "bearer"}}},
                                                                 {"key", {{"type", "apiKey"}, {"in", "header"}, {"name", "Ocp-Apim-Subscription-Key"}}}}}}},
      {"security", {{{"bearer", json::array()}}, {{"key", json::array()}}}}};
  return document.dump();
}

}  // namespace neuralts::serve
