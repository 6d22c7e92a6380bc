#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "command.hpp"
#include "neuralts/environment.hpp"
#include "wrap.hpp"

namespace neuralts::cli {

namespace {

bool same_keys(const EnvironmentHelp& a, const EnvironmentHelp& b) {
  return std::equal(a.params.begin(), a.params.end(), b.params.begin(), b.params.end(),
                    [](const ParamInfo& x, const ParamInfo& y) { return x.key == y.key && x.default_value == y.default_value; });
}

// Families share their parameters: they are told once, with the family's first world.
void print_worlds() {
  const EnvironmentHelp* told = nullptr;
  for (const auto& world : environment_catalog()) {
    fmt::print("{}\n{}", world.name, wrap(world.summary, 2));
    if (told != nullptr && same_keys(*told, world)) {
      fmt::print("  parameters as '{}'\n\n", told->name);
      continue;
    }
    told = &world;
    for (const auto& param : world.params) fmt::print("{}", describe(param));
    fmt::print("\n");
  }
  fmt::print("FILE.csv, .arff, .libsvm, .svm, plain or .gz\n  any data set\n  parameters as 'adult'\n");
}

}  // namespace

void add_envs(CLI::App& app, int&) {
  auto* command = app.add_subcommand("envs", "list worlds and their parameters");
  command->footer("Example:\n  neuralts run --env wheel:delta=0.95 --policy neural-ts");
  command->callback(print_worlds);
}

}  // namespace neuralts::cli
