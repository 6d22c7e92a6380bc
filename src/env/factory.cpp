#include "base/text.hpp"
#include "env/registry.hpp"

namespace neuralts {

namespace {

const std::vector<EnvironmentEntry>& entries() {
  static const std::vector<EnvironmentEntry> all = [] {
    std::vector<EnvironmentEntry> list;
    for (auto* family : {&sphere_entries})
      for (auto& entry : family()) list.push_back(std::move(entry));
    return list;
  }();
  return all;
}

}  // namespace

std::shared_ptr<const Environment> make_environment(const std::string& text, const std::string&) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const Params given = parse_params(colon == std::string::npos ? "" : std::string_view(text).substr(colon + 1));
  std::vector<std::string> names;
  for (const auto& entry : entries()) {
    if (entry.help.name == name) return entry.make(name, resolve("environment " + name, entry.help.params, {}, given));
    names.push_back(entry.help.name);
  }
  throw Error(ErrorCode::bad_spec, "environment", "unknown environment '" + name + "'", suggest(name, names));
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
