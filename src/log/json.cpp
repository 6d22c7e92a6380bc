#include "log/json.hpp"

#include <cmath>

namespace neuralts {

JsonLine::JsonLine(std::string_view line, const LineReader& at) : object_(nlohmann::json::parse(line, nullptr, false)), lines_(at) {
  if (!object_.is_object()) fail("expected one JSON object", "a line was cut off, or this is another format");
}

const nlohmann::json& JsonLine::at(const char* key) const {
  const auto found = object_.find(key);
  if (found == object_.end()) fail(std::string("the object has no \"") + key + "\"");
  return *found;
}

double JsonLine::number(const char* key) const {
  const auto& value = at(key);
  if (!value.is_number() || !std::isfinite(value.get<double>())) fail(std::string("\"") + key + "\" is not a finite number");
  return value.get<double>();
}

std::size_t JsonLine::index(const char* key, std::size_t below) const {
  const double value = number(key);
  if (value < 0 || value >= static_cast<double>(below) || value != std::floor(value))
    fail(std::string("\"") + key + "\" is not an integer from 0 to " + std::to_string(below - 1));
  return static_cast<std::size_t>(value);
}

std::vector<double> JsonLine::numbers(const nlohmann::json& value, const char* key) const {
  if (!value.is_array()) fail(std::string("\"") + key + "\" is not a list of numbers");
  std::vector<double> all;
  for (const auto& item : value) {
    if (!item.is_number() || !std::isfinite(item.get<double>()))
      fail(std::string("\"") + key + "\" holds something that is not a finite number");
    all.push_back(item.get<double>());
  }
  return all;
}

std::vector<std::string> JsonLine::texts(const char* key) const {
  std::vector<std::string> all;
  if (!has(key)) return all;
  for (const auto& item : at(key)) {
    if (!item.is_string()) fail(std::string("\"") + key + "\" holds something that is not a text");
    all.push_back(item.get<std::string>());
  }
  return all;
}

}  // namespace neuralts
