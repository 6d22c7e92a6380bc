// neuralts manual, neuralts completion: the commands written out again, for packages. Not listed in the help.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "command.hpp"
#include "command_tree.hpp"

namespace neuralts::cli {

void add_manual(CLI::App& app, int&) {
  auto name = std::make_shared<std::string>();
  auto* command = app.add_subcommand("manual", "print a manual page (troff)")->group("");
  command->add_option("command", *name, "of which command; without it that of neuralts");
  command->footer("Example:\n  neuralts manual run | man -l -");
  command->callback([&app, name] { fmt::print("{}", manual_page(describe(app), *name)); });
}

void add_completion(CLI::App& app, int&) {
  auto shell = std::make_shared<std::string>();
  auto* command = app.add_subcommand("completion", "print a completion script")->group("");
  command->add_option("shell", *shell, "bash, zsh or fish")->required();
  command->footer("Example:\n  neuralts completion bash > ~/.local/share/bash-completion/completions/neuralts");
  command->callback([&app, shell] { fmt::print("{}", completion(describe(app), *shell)); });
}

}  // namespace neuralts::cli
