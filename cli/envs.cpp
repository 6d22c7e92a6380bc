#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "base/text.hpp"
#include "command.hpp"
#include "neuralts/environment.hpp"
#include "wrap.hpp"

namespace neuralts::cli {

namespace {

bool same_keys(const EnvironmentHelp& a, const EnvironmentHelp& b) {
  return std::equal(a.params.begin(), a.params.end(), b.params.begin(), b.params.end(),
                    [](const ParamInfo& x, const ParamInfo& y) {
                      return x.key == y.key && x.default_value == y.default_value;
                    });
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
  fmt::print("FILE.csv, .tsv, .arff, .libsvm, .svm, plain or .gz\n  any data set\n  parameters as 'adult'\n");
}

void print_world(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& world : environment_catalog()) {
    names.push_back(world.name);
    if (world.name != name) continue;
    fmt::print("{}\n{}", world.name, wrap(world.summary, 2));
    for (const auto& param : world.params) fmt::print("{}", describe(param));
    return;
  }
  throw Error(ErrorCode::bad_spec, "environment", "unknown environment '" + name + "'", suggest(name, names));
}

}  // namespace

void add_envs(CLI::App& app, int&) {
  auto* command = app.add_subcommand("envs", "list worlds and their parameters; with a NAME that one");
  command->footer("Example:\n  neuralts run --env wheel:delta=0.95 --policy neural-ts");
  auto name = std::make_shared<std::string>();
  command->add_option("NAME", *name, "one world, told in full");
  command->callback([name] { name->empty() ? print_worlds() : print_world(*name); });
}

}  // namespace neuralts::cli
