#include "neuralts/settings.hpp"

#include <cmath>

#include "base/text.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

Params parse_params(std::string_view text) {
  Params params;
  if (text.empty()) return params;
  for (const auto& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(ErrorCode::bad_spec, "'" + part + "'", "is not KEY=VALUE", "write for example nu=0.1");
    const std::string key(trim(std::string_view(part).substr(0, equals)));
    params[key] = std::string(trim(std::string_view(part).substr(equals + 1)));
  }
  return params;
}

std::string to_string(const Params& params) {
  std::string text;
  for (const auto& [key, value] : params) text += (text.empty() ? "" : ",") + key + "=" + value;
  return text;
}

Settings::Settings(std::string where, const std::vector<ParamInfo>& table, Params values)
    : where_(std::move(where)), values_(std::move(values)) {
  for (const auto& info : table) allowed_.emplace(info.key, Allowed{info.range, ParamRange(info.range)});
}

const std::string& Settings::text(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) throw ContractError(where_ + ": parameter '" + key + "' is not in the table");
  return found->second;
}

const ParamRange& Settings::range(const std::string& key) const {
  const auto found = allowed_.find(key);
  if (found == allowed_.end()) throw ContractError(where_ + ": parameter '" + key + "' is not in the table");
  return found->second.range;
}

void Settings::refuse(const std::string& key) const {
  const auto found = allowed_.find(key);
  const std::string hint = found == allowed_.end() ? "" : "allowed: " + found->second.text;
  throw Error(ErrorCode::bad_spec, where_, "parameter " + key + "=" + text(key) + " is not valid", hint);
}

void Settings::check() const {
  for (const auto& [key, value] : values_)
    if (!range(key).holds(value)) refuse(key);
}

bool Settings::is(const std::string& key, const std::string& word) const {
  if (!range(key).word(word))
    throw ContractError(where_ + ": the range of '" + key + "' has no word '" + word + "'");
  if (!range(key).holds(text(key))) refuse(key);
  return text(key) == word;
}

std::size_t Settings::choice(const std::string& key) const {
  const auto place = range(key).word(text(key));
  if (!place) refuse(key);
  return *place;
}

double Settings::number(const std::string& key) const {
  const auto value = range(key).number(text(key));
  if (!value) refuse(key);
  return *value;
}

std::size_t Settings::count(const std::string& key) const {
  constexpr double largest = 9007199254740992;  // 2^53: every whole number up to it is a double
  const double value = number(key);
  if (value != std::floor(value) || value < 0 || value > largest) refuse(key);
  return static_cast<std::size_t>(value);
}

Settings resolve(const std::string& where, const std::vector<ParamInfo>& table, const Params& preset,
                 const Params& given) {
  Params values;
  std::vector<std::string> keys;
  for (const auto& info : table) {
    values[info.key] = info.default_value;
    keys.push_back(info.key);
  }
  for (const Params* layer : {&preset, &given})
    for (const auto& [key, value] : *layer) {
      if (!values.contains(key))
        throw Error(ErrorCode::bad_spec, where, "unknown parameter '" + key + "'", suggest(key, keys));
      values[key] = value;
    }
  Settings settings(where, table, values);
  settings.check();
  return settings;
}

}  // namespace neuralts
