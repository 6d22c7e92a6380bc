// The commands and their flags as plain data, for whoever writes them out again: manual pages, completion.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace neuralts::cli {

struct FlagInfo {
  std::vector<std::string> names;  ///< "--seeds", "--seed"; of a positional argument its one name, without dashes
  std::string value;               ///< what follows it: "TEXT"; empty: nothing does
  std::string text, initial;       ///< what it means; its default, where one is shown
  bool positional = false, required = false;
};

struct CommandInfo {
  std::string name;  ///< "neuralts", "run"
  std::string text, footer;
  std::vector<FlagInfo> flags;
  std::vector<CommandInfo> commands;
};

/// Hidden commands and flags are left out.
CommandInfo describe(const CLI::App& app);

/// A manual page in troff for neuralts itself or one of its commands. Throws Error(bad_spec) for an unknown name.
std::string manual_page(const CommandInfo& all, const std::string& command);

/// A completion script. `shell`: bash, zsh or fish. Throws Error(bad_spec) for another.
std::string completion(const CommandInfo& all, const std::string& shell);

}  // namespace neuralts::cli
