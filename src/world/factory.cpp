#include <filesystem>

#include "base/file.hpp"
#include "base/text.hpp"
#include "data/data_file.hpp"
#include "base/text_hash.hpp"
#include "neuralts/random.hpp"
#include "neuralts/world_facts.hpp"
#include "world/registry.hpp"

namespace neuralts {

namespace {

const std::vector<EnvironmentEntry>& entries() {
  static const std::vector<EnvironmentEntry> all = [] {
    std::vector<EnvironmentEntry> list;
    for (auto* family : {&data_entries, &sphere_entries, &wheel_entries, &moving_entries, &class_entries,
                         &action_entries, &dose_entries, &item_entries, &replay_entries})
      for (auto& entry : family()) list.push_back(std::move(entry));
    return list;
  }();
  return all;
}

// "log:FILE" is short for "log:file=FILE"; parameters may follow behind another colon.
Params log_params(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const bool more = colon != std::string::npos && text.find('=', colon) != std::string::npos &&
                    text.find('/', colon) == std::string::npos;
  if (!more && text.starts_with("file=")) return parse_params(text);
  Params params = more ? parse_params(std::string_view(text).substr(colon + 1)) : Params{};
  params["file"] = text.substr(0, more ? colon : std::string::npos);
  return params;
}

// "name:key=value,...". A path may hold colons of its own: parameters begin behind the last one that follows a
// data file's ending.
std::pair<std::string, Params> split_spec(const std::string& text) {
  if (text.starts_with("log:")) return {"log", log_params(text.substr(4))};
  if (is_data_file(text)) return {text, {}};
  std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || !is_data_file(text.substr(0, colon))) colon = text.find(':');
  if (colon == std::string::npos) return {text, {}};
  return {text.substr(0, colon), parse_params(std::string_view(text).substr(colon + 1))};
}

const EnvironmentEntry& entry_of(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& entry : entries()) {
    if (entry.help.name == name) return entry;
    names.push_back(entry.help.name);
  }
  const bool looks_like_a_file = name.find_first_of("/.") != std::string::npos;
  throw Error(ErrorCode::bad_spec, "environment", "unknown environment '" + name + "'",
              looks_like_a_file ? "data files end in .csv, .tsv, .arff, .libsvm or .svm, plain or .gz, and have no "
                                  "comma in their name; a log is replayed by log:FILE"
                                : suggest(name, names));
}

Settings settings_of(const EnvironmentEntry& entry, const Params& given) {
  return resolve("environment " + entry.help.name, entry.help.params, {}, given);
}

}  // namespace

std::shared_ptr<const Environment> make_environment(const std::string& text, const std::string& data_dir) {
  const auto [name, given] = split_spec(text);
  if (is_data_file(name)) return make_file_world(name, given);
  const EnvironmentEntry& entry = entry_of(name);
  return entry.make(name, settings_of(entry, given), data_dir);
}

void check_environment(const std::string& text) {
  const auto [name, given] = split_spec(text);
  if (!is_data_file(name)) static_cast<void>(settings_of(entry_of(name), given));
}

std::string world_identity(const Environment& env) {
  const auto* facts = dynamic_cast<const WorldFacts*>(&env);
  return facts == nullptr ? "" : facts->identity();
}

bool world_replays(const Environment& env) {
  const auto* facts = dynamic_cast<const WorldFacts*>(&env);
  return facts != nullptr && facts->replays();
}

std::uint64_t seed_of_replay(std::uint64_t seed) { return Stream(seed, Purpose::replay).bits64(); }

std::vector<std::string> world_notes(const Environment& env) {
  const auto* facts = dynamic_cast<const WorldFacts*>(&env);
  return facts == nullptr ? std::vector<std::string>() : facts->notes();
}

std::string environment_identity(const std::string& text) {
  const auto [name, given] = split_spec(text);
  const std::string file = name == "log"        ? (given.contains("file") ? given.at("file") : "")
                           : is_data_file(name) ? name
                                                : "";
  // A name that says all, or a mistake that making the world will tell.
  if (!std::filesystem::is_regular_file(file)) return "";
  const auto bytes = read_file(file);
  return std::to_string(hash_text({bytes.data(), bytes.size()}));
}

const std::vector<EnvironmentHelp>& environment_catalog() {
  static const std::vector<EnvironmentHelp> catalog = [] {
    std::vector<EnvironmentHelp> list;
    for (const auto& entry : entries()) list.push_back(entry.help);
    return list;
  }();
  return catalog;
}

}  // namespace neuralts
