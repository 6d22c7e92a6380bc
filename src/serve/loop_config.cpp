#include "serve/loop_config.hpp"

#include <fmt/format.h>

#include <cmath>
#include <new>
#include <nlohmann/json.hpp>

#include "base/shallow_json.hpp"
#include "base/text.hpp"
#include "neuralts/error.hpp"
#include "neuralts/feature.hpp"
#include "serve/problem.hpp"

namespace neuralts::serve {

namespace {

using nlohmann::json;

const std::vector<std::string> modes = {"online", "apprentice", "logging"};
const std::vector<std::string> aggregations = {"earliest", "average", "median", "sum", "min", "max"};

std::size_t index_in(const std::vector<std::string>& names, std::string_view text, const std::string& field) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == text) return i;
  throw Problem(422, field, fmt::format("unknown value '{}': {}", text, suggest(text, names)));
}

double number_in(const json& value, const std::string& field, double low, double high) {
  if (!value.is_number()) throw Problem(422, field, "a number is needed");
  const double number = value;
  if (!(number >= low && number <= high))
    throw Problem(422, field, fmt::format("{} is not in {} .. {}", number, low, high));
  return number;
}

double whole_in(const json& value, const std::string& field, double low, double high) {
  const double number = number_in(value, field, low, high);
  if (number != std::floor(number)) throw Problem(422, field, fmt::format("{} is not a whole number", number));
  return number;
}

std::string text_in(const json& value, const std::string& field) {
  if (!value.is_string()) throw Problem(422, field, "a text is needed");
  return value;
}

Params params_in(const json& value, const std::string& field) {
  if (!value.is_object()) throw Problem(422, field, "an object is needed: {\"nu\": 0.1}");
  Params params;
  for (const auto& [key, item] : value.items()) {
    if (key == "floor")
      throw Problem(422, field + "." + key,
                    "a loop's floor is its 'exploration': a share spread evenly over the actions");
    if (!item.is_primitive() || item.is_null())
      throw Problem(422, field + "." + key, "a number, a text or a truth value is needed");
    params[key] = item.is_string()         ? item.get<std::string>()
                  : item.is_number_float() ? format_number(item)
                                           : item.dump();
  }
  return params;
}

void read_reward(const json& table, LoopConfig& config) {
  if (!table.is_object()) throw Problem(422, "reward", "an object is needed: {\"window_seconds\": 600}");
  for (const auto& [key, value] : table.items()) {
    const std::string field = "reward." + key;
    if (key == "window_seconds")
      config.window_us = std::llround(number_in(value, field, 0.001, 60.0 * 86400) * 1e6);
    else if (key == "default") {
      config.has_default = !value.is_null();
      config.default_reward = value.is_null() ? 0 : number_in(value, field, -1e6, 1e6);
    } else if (key == "aggregation")
      config.aggregation = aggregation_of(text_in(value, field), field);
    else
      throw Problem(
          422, field,
          fmt::format("unknown key: {}", suggest(key, {"window_seconds", "default", "aggregation"})));
  }
}

bool read_learning(const std::string& key, const json& value, LoopConfig& config) {
  if (key == "policy")
    config.policy = text_in(value, key);
  else if (key == "preset")
    config.preset = text_in(value, key);
  else if (key == "params")
    config.params = params_in(value, key);
  else if (key == "seed")
    config.seed = static_cast<std::uint64_t>(whole_in(value, key, 0, 9e15));
  else if (key == "length")
    config.length = static_cast<std::uint32_t>(whole_in(value, key, 0, 65536));
  else if (key == "features")
    config.features = value.is_string() ? value.get<std::string>() : value.dump();
  else
    return false;
  return true;
}

void read_entry(const std::string& key, const json& value, LoopConfig& config) {
  if (read_learning(key, value, config)) return;
  if (key == "reward")
    read_reward(value, config);
  else if (key == "mode")
    config.mode = mode_of(text_in(value, key), key);
  else if (key == "exploration")
    config.exploration = number_in(value, key, 0, 1);
  else if (key == "keep_features")
    config.keep_features = number_in(value, key, 0, 1);
  else if (key == "holdout")
    config.holdout = number_in(value, key, 0, 0.5);
  else if (key == "publish_seconds")
    config.publish_seconds = number_in(value, key, 0, 86400);
  else if (key == "checkpoint_seconds")
    config.checkpoint_seconds = number_in(value, key, 0.001, 86400);
  else if (key == "retention_days")
    config.retention_days = static_cast<std::int64_t>(whole_in(value, key, -1, 36500));
  else
    throw Problem(422, key,
                  fmt::format("unknown key: {}",
                              suggest(key, {"policy", "preset", "params", "seed", "length", "features",
                                            "reward", "mode", "exploration", "keep_features", "holdout",
                                            "publish_seconds", "checkpoint_seconds", "retention_days"})));
}

/// The factory knows what is a good policy; its word is passed on.
void check_policy(const LoopConfig& config) {
  try {
    make_learner({.name = config.policy,
                  .preset = config.preset,
                  .params = config.params,
                  .shape = {4, 1},
                  .seed = config.seed});
  } catch (const Error& error) {
    throw Problem(422, "policy", error.what());
  } catch (const std::bad_alloc&) {
    throw Problem(422, "params", "there is no memory for a policy of this size: take fewer units");
  }
  try {
    parse_features(config.features);
  } catch (const std::exception& error) {
    throw Problem(422, "features", error.what());
  }
}

}  // namespace

bool LoopConfig::learns_like(const LoopConfig& o) const {
  return policy == o.policy && preset == o.preset && params == o.params && seed == o.seed && length == o.length &&
         features == o.features && holdout == o.holdout;
}

LoopConfig loop_config_from_json(std::string_view text, const LoopConfig& base) {
  const auto table = parse_shallow(text, refuse_twice);
  if (!table) throw Problem(400, "", "the body is not JSON, or nested too deep");
  if (!table->is_object()) throw Problem(422, "", "the body must be a JSON object");
  LoopConfig config = base;
  for (const auto& [key, value] : table->items()) read_entry(key, value, config);
  check_policy(config);
  return config;
}

std::string to_json(const LoopConfig& config) {
  json params = json::object();
  for (const auto& [key, value] : config.params) params[key] = value;
  const json table = {{"policy", config.policy},
                      {"preset", config.preset},
                      {"params", params},
                      {"seed", config.seed},
                      {"length", config.length},
                      {"features", config.features == "auto" ? json("auto") : json::parse(config.features)},
                      {"mode", name_of(config.mode)},
                      {"reward",
                       {{"window_seconds", static_cast<double>(config.window_us) / 1e6},
                        {"default", config.has_default ? json(config.default_reward) : json()},
                        {"aggregation", name_of(config.aggregation)}}},
                      {"exploration", config.exploration},
                      {"keep_features", config.keep_features},
                      {"holdout", config.holdout},
                      {"publish_seconds", config.publish_seconds},
                      {"checkpoint_seconds", config.checkpoint_seconds},
                      {"retention_days", config.retention_days}};
  return table.dump();
}

bool is_loop_name(std::string_view name) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 128;
  };
  if (name.empty() || name.size() > 64 || !plain(name[0])) return false;
  for (const char c : name)
    if (!plain(c) && c != '_' && c != '-' && c != '.') return false;
  return true;
}

const char* name_of(Mode mode) { return modes[static_cast<std::size_t>(mode)].c_str(); }
const char* name_of(Aggregation aggregation) { return aggregations[static_cast<std::size_t>(aggregation)].c_str(); }
Aggregation aggregation_of(std::string_view text, const std::string& field) {
  return static_cast<Aggregation>(index_in(aggregations, text, field));
}
Mode mode_of(std::string_view text, const std::string& field) {
  return static_cast<Mode>(index_in(modes, text, field));
}

}  // namespace neuralts::serve
