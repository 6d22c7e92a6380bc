#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "command.hpp"
#include "neuralts/policy.hpp"

namespace neuralts::cli {

void add_policies(CLI::App& app, int&) {
  app.add_subcommand("policies", "list policies and their parameters")->callback([] {
    for (const auto& policy : policy_catalog()) {
      fmt::print("{}  {}\n", policy.name, policy.summary);
      for (const auto& param : policy.params) fmt::print("    {}={}  ({})  {}\n", param.key, param.default_value, param.range, param.doc);
    }
  });
}

}  // namespace neuralts::cli
