#include "neuralts/settings.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "neuralts/error.hpp"
#include "neuralts/keys.hpp"

namespace neuralts {

Params parse_params(std::string_view text) {
  Params params;
  if (text.empty()) return params;
  for (const auto& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(ErrorCode::bad_spec, "'" + part + "'", "is not KEY=VALUE", "write for example nu=0.1");
    const std::string key(trim(std::string_view(part).substr(0, equals)));
    if (!params.emplace(key, trim(std::string_view(part).substr(equals + 1))).second)
      throw Error(ErrorCode::bad_spec, "'" + std::string(text) + "'", "parameter '" + key + "' is given twice", "keep one of them");
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

std::string known_key(const std::string& given, const std::vector<ParamInfo>& table) {
  const auto plain = [](std::string key) {
    if (key.size() > 1 && key.back() == '_') key.pop_back();
    std::replace(key.begin(), key.end(), '_', '-');
    return key;
  };
  const auto is_key = [&](const ParamInfo& info) { return info.key == given; };
  if (std::any_of(table.begin(), table.end(), is_key)) return given;
  for (const auto& info : table)
    if (plain(info.key) == plain(given)) return info.key;
  return given;
}

Params known_keys(const std::string& where, const Params& given, const std::vector<ParamInfo>& table) {
  std::vector<std::string> keys;
  for (const auto& info : table) keys.push_back(info.key);
  Params known;
  for (const auto& [word, value] : given) {
    const std::string key = known_key(word, table);
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw Error(ErrorCode::bad_spec, where, "unknown parameter '" + word + "'", suggest(word, keys));
    if (!known.emplace(key, value).second)
      throw Error(ErrorCode::bad_spec, where, "parameter '" + key + "' is given twice",
                  "the other time as '" + word + "'");
  }
  return known;
}

Settings resolve(const std::string& where, const std::vector<ParamInfo>& table, const Params& preset,
                 const Params& given) {
  Params values = known_keys(where, given, table);
  for (const auto& [key, value] : known_keys(where, preset, table)) values.try_emplace(key, value);
  for (const auto& info : table) values.try_emplace(info.key, info.default_value);
  Settings settings(where, table, values);
  settings.check();
  return settings;
}

}  // namespace neuralts
