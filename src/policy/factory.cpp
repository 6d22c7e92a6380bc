#include <algorithm>

#include "base/text.hpp"
#include "policy/registry.hpp"

namespace neuralts {

namespace {

const std::vector<PolicyEntry>& entries() {
  static const std::vector<PolicyEntry> all = {
      neural_ts_entry(),
      neural_ucb_entry(),
      neural_linear_entry(),
      neural_greedy_entry(),
      bootstrap_entry(),
      kernel_ts_entry(),
      kernel_ucb_entry(),
      linear_ts_entry(),
      linear_ucb_entry(),
      random_entry(),
  };
  return all;
}

const PolicyEntry& find_entry(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& entry : entries()) {
    if (entry.info.name == name) return entry;
    names.push_back(entry.info.name);
  }
  throw Error(ErrorCode::bad_spec, "policy", "unknown policy '" + name + "'", suggest(name, names));
}

const Params& find_preset(const PolicyInfo& info, const std::string& preset) {
  static const Params none;
  const std::string& name = preset.empty() ? info.default_preset : preset;
  if (name.empty()) return none;
  if (const auto found = info.presets.find(name); found != info.presets.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, params] : info.presets) names.push_back(known);
  throw Error(ErrorCode::bad_spec, "policy " + info.name, "unknown preset '" + name + "'", suggest(name, names));
}

// Keys and values that had another name in earlier versions.
Params with_current_names(const Params& given) {
  static const std::map<std::string, std::string> keys{{"width", "units"}};
  static const std::map<std::string, std::string> values{{"sqrt-width", "sqrt-units"}, {"width-lambda", "units-lambda"}};
  const auto current = [](const auto& names, const std::string& name) {
    const auto found = names.find(name);
    return found == names.end() ? name : found->second;
  };
  Params params;
  for (const auto& [key, value] : given)
    params[current(keys, key)] = key == "normaliser" && value == "width" ? "units" : current(values, value);
  return params;
}

}  // namespace

std::unique_ptr<Policy> make_policy(const PolicySpec& spec) {
  const PolicyEntry& entry = find_entry(spec.name);
  if (spec.shape.length == 0 || spec.shape.blocks == 0)
    throw ContractError("a policy needs a shape: length = " + std::to_string(spec.shape.length) + ", blocks = " + std::to_string(spec.shape.blocks));
  if (!spec.weights.empty() && !entry.takes_weights)
    throw Error(ErrorCode::bad_spec, "policy " + spec.name, "it takes no weights", "neural-ts and neural-ucb start from given ones");
  PolicySpec named = spec;
  if (named.preset.empty()) named.preset = entry.info.default_preset;
  named.params = with_current_names(spec.params);
  return entry.make(named, resolve("policy " + spec.name, entry.info.params, find_preset(entry.info, spec.preset), named.params));
}

const PolicyInfo& policy_info(const std::string& name) { return find_entry(name).info; }

const std::vector<PolicyInfo>& policy_catalog() {
  static const std::vector<PolicyInfo> catalog = [] {
    std::vector<PolicyInfo> infos;
    for (const auto& entry : entries()) infos.push_back(entry.info);
    return infos;
  }();
  return catalog;
}

}  // namespace neuralts
