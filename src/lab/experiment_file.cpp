// An experiment in a file. TOML is turned into JSON first, so that both speak the same words.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.hpp"
#include "base/shallow_json.hpp"
#include "base/text.hpp"
#ifdef NEURALTS_HAS_TOML
#include "base/toml.hpp"
#endif
#include "neuralts/lab.hpp"

namespace neuralts {

namespace {

using nlohmann::json;

constexpr char reference[] = "see doc/experiments.md";

[[noreturn]] void refuse(const std::string& path, const std::string& what, const std::string& hint = reference) {
  throw Error(ErrorCode::bad_input, path, what, hint);
}

#ifdef NEURALTS_HAS_TOML
json parse_toml(const std::string& path, std::string_view text) {
  const toml::table table = read_toml(text, path, reference);
  std::ostringstream out;
  out << toml::json_formatter(table);
  return json::parse(out.str());
}
#else
json parse_toml(const std::string& path, std::string_view) {
  throw Error(ErrorCode::unsupported, path, "this build does not read TOML",
              "write it as .json, or build with toml++");
}
#endif

json parse_json(const std::string& path, std::string_view text) {
  auto value = parse_shallow(text, [&](const std::string& key) { refuse(path, "the key '" + key + "' stands twice"); });
  if (value) return std::move(*value);
  try {
    const json told = json::parse(text);  // for its word on what is wrong
  } catch (const json::exception& problem) {
    refuse(path, problem.what());
  }
  refuse(path, "objects and lists are nested too deep");
}

json parse_text(std::string_view text, const std::string& path) {
  const auto extension = std::filesystem::path(path).extension();
  if (extension == ".toml") return parse_toml(path, text);
  if (extension == ".json") return parse_json(path, text);
  refuse(path, "an experiment file ends in .toml or .json");
}

/// A value as text: numbers as they would be typed, true and false as words.
std::string text_of(const std::string& where, const json& value) {
  if (value.is_string()) return value;
  if (value.is_boolean()) return value ? "true" : "false";
  if (value.is_number_float()) return format_number(value);
  if (value.is_number()) return value.dump();
  refuse(where, "a text or a number is needed, not " + value.dump());
}

/// A value, or a list of them; a text may itself be a list as on the command line.
std::vector<std::string> texts_of(const std::string& where, const json& value) {
  if (value.is_string()) return split_list(value.get<std::string>());
  if (!value.is_array()) return {text_of(where, value)};
  std::vector<std::string> texts;
  for (const auto& item : value) texts.push_back(text_of(where, item));
  return texts;
}

std::vector<std::uint64_t> seeds_of(const std::string& where, const json& value) {
  std::vector<std::uint64_t> seeds;
  for (const auto& text : texts_of(where, value))
    for (const auto seed : parse_seeds(text)) seeds.push_back(seed);
  return seeds;
}

std::size_t rounds_of(const std::string& where, const json& value) {
  if (!value.is_number_unsigned() && !(value.is_number_integer() && value >= 0))
    refuse(where, "a whole number is needed, not " + value.dump());
  return value;
}

void read_set(const std::string& where, const json& table, Grid& grid) {
  if (!table.is_object()) refuse(where, "a table is needed: key = value or key = [values]");
  for (const auto& [key, value] : table.items()) grid.set[key] = texts_of(where + "." + key, value);
}

void read_entry(const std::string& path, const std::string& key, const json& value, Grid& grid) {
  const std::string where = path + ": " + key;
  if (key == "env")
    grid.envs = texts_of(where, value);
  else if (key == "policy")
    grid.policies = texts_of(where, value);
  else if (key == "preset")
    grid.presets = texts_of(where, value);
  else if (key == "seeds")
    grid.seeds = seeds_of(where, value);
  else if (key == "delay")
    grid.delays = texts_of(where, value);
  else if (key == "rounds")
    grid.rounds = rounds_of(where, value);
  else if (key == "set")
    read_set(where, value, grid);
  else
    refuse(path, "unknown key '" + key + "'",
           suggest(key, {"env", "policy", "preset", "seeds", "delay", "rounds", "set", "grid"}));
}

void read_table(const std::string& path, const json& table, Grid& grid) {
  if (!table.is_object()) refuse(path, "a table is needed where there is " + table.dump());
  for (const auto& [key, value] : table.items())
    if (key != "grid") read_entry(path, key, value, grid);
}

}  // namespace

Experiment read_experiment(const std::string& path) {
  const auto bytes = read_file(path);
  return parse_experiment({bytes.data(), bytes.size()}, path);
}

Experiment parse_experiment(std::string_view text, const std::string& path) {
  const json file = parse_text(text, path);
  Grid common;
  read_table(path, file, common);
  if (!file.contains("grid")) return {.grids = {common}, .name = path};
  const json& grids = file["grid"];
  const std::string where = path + ": grid";
  if (!grids.is_array())
    refuse(where, "a list of tables is needed, not one", "write [[grid]], in JSON \"grid\": [{...}]");
  if (grids.empty()) refuse(where, "the list is empty: there is nothing to run", "give it a table, or leave it out");
  Experiment experiment{.grids = {}, .name = path};
  for (const auto& table : grids) {
    const std::string place = fmt::format("{}, grid {}", path, experiment.grids.size() + 1);
    if (table.is_object() && table.contains("grid")) refuse(place, "a grid holds no grid of its own");
    experiment.grids.push_back(common);
    read_table(place, table, experiment.grids.back());
  }
  return experiment;
}

}  // namespace neuralts
