#include "base/param_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
    params[std::string(trim(std::string_view(part).substr(0, equals)))] = std::string(trim(std::string_view(part).substr(equals + 1)));
  }
  return params;
}

std::string to_string(const Params& params) {
  std::string text;
  for (const auto& [key, value] : params) text += (text.empty() ? "" : ",") + key + "=" + value;
  return text;
}

Settings::Settings(std::string where, std::vector<ParamInfo> table, Params values)
    : where_(std::move(where)), table_(std::move(table)), values_(std::move(values)) {}

const std::string& Settings::text(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) throw ContractError(where_ + ": parameter '" + key + "' is not in the table");
  return found->second;
}

void Settings::refuse(const std::string& key) const {
  const auto info = std::find_if(table_.begin(), table_.end(), [&](const ParamInfo& p) { return p.key == key; });
  const std::string range = info == table_.end() ? "" : "allowed: " + info->range;
  throw Error(ErrorCode::bad_spec, where_, "parameter " + key + "=" + text(key) + " is not valid", range);
}

std::size_t Settings::choice(const std::string& key, const std::vector<std::string>& choices) const {
  const auto found = std::find(choices.begin(), choices.end(), text(key));
  if (found == choices.end()) refuse(key);
  return static_cast<std::size_t>(found - choices.begin());
}

double Settings::number(const std::string& key, double min, double max) const {
  const auto value = parse_number(text(key));
  if (!value || !(*value >= min && *value <= max)) refuse(key);
  return *value;
}

double Settings::positive(const std::string& key) const {
  return number(key, std::numeric_limits<double>::min(), std::numeric_limits<double>::max());
}

std::size_t Settings::count(const std::string& key, std::size_t min, std::size_t max) const {
  const double value = number(key, static_cast<double>(min), static_cast<double>(max));
  if (value != std::floor(value)) refuse(key);
  return static_cast<std::size_t>(value);
}

bool Settings::flag(const std::string& key) const { return choice(key, {"false", "true"}) == 1; }

Settings resolve(const std::string& where, const std::vector<ParamInfo>& table, const Params& preset, const Params& given) {
  Params values;
  std::vector<std::string> keys;
  for (const auto& info : table) {
    values[info.key] = info.default_value;
    keys.push_back(info.key);
  }
  for (const Params* layer : {&preset, &given})
    for (const auto& [key, value] : *layer) {
      if (!values.contains(key)) throw Error(ErrorCode::bad_spec, where, "unknown parameter '" + key + "'", suggest(key, keys));
      values[key] = value;
    }
  return {where, table, values};
}

}  // namespace neuralts
