#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "neuralts/policy.hpp"
#include "wrap.hpp"

namespace neuralts::cli {

namespace {

// What holds when nothing is said: the default preset, and what the parameter itself says where that is silent.
std::string in_force(const PolicyInfo& policy, const ParamInfo& param) {
  const auto preset = policy.presets.find(policy.default_preset);
  if (preset == policy.presets.end()) return param.default_value;
  const auto value = preset->second.find(param.key);
  return value == preset->second.end() ? param.default_value : value->second;
}

// What the other presets set; where they are silent, the value in parentheses holds, or the only one.
void print_presets(const PolicyInfo& policy) {
  for (const auto& [name, params] : policy.presets) {
    std::string changes;
    for (const auto& [key, value] : params) changes += fmt::format(" {}={}", key, value);
    if (name == policy.default_preset)
      changes = " in force unless another is named; the values below";
    else if (changes.empty())
      changes = " the values in parentheses, where there are any";
    fmt::print("{}", wrap(fmt::format("preset {}:{}", name, changes), 2));
  }
}

void print_text(const PolicyInfo& policy) {
  fmt::print("{}\n{}{}", policy.name, wrap(policy.summary, 2), wrap(policy.reference, 2));
  print_presets(policy);
  for (ParamInfo param : policy.params) {
    const std::string value = in_force(policy, param);
    if (value != param.default_value) param.default_value = fmt::format("{} ({})", value, param.default_value);
    fmt::print("{}", describe(param));
  }
  fmt::print("\n");
}

void print_json(const PolicyInfo& policy) {
  nlohmann::json params = nlohmann::json::array();
  for (const auto& param : policy.params)
    params.push_back({{"key", param.key},
                      {"default", param.default_value},
                      {"value", in_force(policy, param)},
                      {"range", param.range},
                      {"doc", param.doc}});
  const nlohmann::json line = {
      {"name", policy.name},       {"summary", policy.summary}, {"reference", policy.reference},
      {"presets", policy.presets}, {"params", params},          {"default_preset", policy.default_preset}};
  fmt::print("{}\n", line.dump());
}

struct Flags {
  std::string name;
  bool json = false;
};

void print_list() {
  for (const auto& policy : policy_catalog()) {
    const std::string summary = wrap(policy.summary, 16);
    fmt::print("{:<16}{}", policy.name, summary.substr(16));
  }
  fmt::print("\nneuralts policies NAME tells everything about one: presets, parameters, ranges.\n");
}

void execute(const Flags& flags) {
  const auto print = flags.json ? print_json : print_text;
  if (!flags.name.empty()) return print(policy_info(flags.name));
  if (!flags.json) return print_list();
  for (const auto& policy : policy_catalog()) print(policy);
}

}  // namespace

void add_policies(CLI::App& app, int&) {
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand(
      "policies", "list policies; with a NAME its presets and every parameter: key=value, range, meaning");
  command->add_option("NAME", flags->name, "one policy, told in full");
  command->add_flag("--json", flags->json, "one JSON object per policy and line");
  command->footer("Examples:\n  neuralts policies\n  neuralts policies neural-ts");
  command->callback([flags] { execute(*flags); });
}

}  // namespace neuralts::cli
