#include "command_tree.hpp"

#include <CLI/CLI.hpp>

namespace neuralts::cli {

namespace {

FlagInfo describe(const CLI::Option& option) {
  FlagInfo flag;
  flag.positional = option.get_positional();
  flag.required = option.get_required();
  if (flag.positional) {
    flag.names = {option.get_name(true)};
  } else {
    for (const auto& name : option.get_snames()) flag.names.push_back("-" + name);
    for (const auto& name : option.get_lnames()) flag.names.push_back("--" + name);
  }
  if (option.get_items_expected_max() > 0)
    flag.value = option.get_type_name().empty() ? "VALUE" : option.get_type_name();
  flag.text = option.get_description();
  flag.initial = option.get_default_str();
  return flag;
}

}  // namespace

CommandInfo describe(const CLI::App& app) {
  CommandInfo command{.name = app.get_name(),
                      .text = app.get_description(),
                      .footer = app.get_footer(),
                      .flags = {},
                      .commands = {}};
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) command.flags.push_back(describe(*option));
  for (const CLI::App* below : app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); }))
    command.commands.push_back(describe(*below));
  return command;
}

}  // namespace neuralts::cli
