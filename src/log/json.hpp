// Checked access to a line of JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/line_reader.hpp"

namespace neuralts {

class JsonLine {
 public:
  /// Throws Error(bad_input) unless `line` is a JSON object.
  JsonLine(std::string_view line, const LineReader& at);

  bool has(const char* key) const { return object_.contains(key); }
  const nlohmann::json& at(const char* key) const;
  double number(const char* key) const;
  std::size_t index(const char* key, std::size_t below) const;  ///< 0 .. below - 1
  /// Finite numbers.
  std::vector<double> numbers(const nlohmann::json& value, const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  [[noreturn]] void fail(const std::string& what, const std::string& hint = "") const { lines_.fail(what, hint); }

 private:
  nlohmann::json object_;
  const LineReader& lines_;
};

}  // namespace neuralts
