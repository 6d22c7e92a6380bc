// Completion scripts for three shells.
#include <fmt/format.h>

#include "command_tree.hpp"
#include "neuralts/error.hpp"

namespace neuralts::cli {

namespace {

/// Within single quotes of a POSIX shell; also for fish, which knows no '\'' but reads it the same way.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string words_of(const CommandInfo& command) {
  std::string words;
  for (const auto& below : command.commands) words += " " + below.name;
  for (const auto& flag : command.flags)
    if (!flag.positional)
      for (const auto& name : flag.names) words += " " + name;
  return words.empty() ? words : words.substr(1);
}

struct BashParts {
  std::string paths, words;
};

void collect(const CommandInfo& command, const std::string& path, BashParts& parts) {
  parts.words += fmt::format("    {}) words={} ;;\n", quoted(path), quoted(words_of(command)));
  for (const auto& below : command.commands) {
    const std::string deeper = path + " " + below.name;
    parts.paths += (parts.paths.empty() ? "" : "|") + quoted(deeper);
    collect(below, deeper, parts);
  }
}

/// The command that the words so far name, then its flags and commands; files where none of them fits.
std::string bash(const CommandInfo& all) {
  BashParts parts;
  collect(all, all.name, parts);
  return fmt::format(R"(# bash completion of neuralts
_neuralts() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} path=neuralts words='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$path ${{COMP_WORDS[i]}}" in
      {}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$path" in
{}  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _neuralts neuralts
)",
                     parts.paths, parts.words);
}

/// A description within [ ]: what zsh would read as its end is escaped.
std::string zsh_flag(const std::string& name, const FlagInfo& flag) {
  std::string text;
  for (const char c : flag.text)
    text += (c == ']' || c == '[' || c == ':') ? fmt::format("\\{}", c) : std::string(1, c);
  return quoted(fmt::format("{}[{}]{}", name, text, flag.value.empty() ? "" : ":" + flag.value + ":_files"));
}

std::string zsh(const CommandInfo& all) {
  std::string commands, cases;
  for (const auto& below : all.commands) {
    commands += fmt::format("    {}\n", quoted(below.name + ":" + below.text));
    cases += fmt::format("    {}) _arguments", below.name);
    for (const auto& flag : below.flags)
      if (!flag.positional)
        for (const auto& name : flag.names) cases += " \\\n        " + zsh_flag(name, flag);
    cases += " \\\n        '*:argument:_files' ;;\n";
  }
  return fmt::format(R"(#compdef neuralts
_neuralts() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
{}  esac
}}
_neuralts "$@"
)",
                     commands, cases);
}

std::string fish(const CommandInfo& all) {
  std::string text = "# fish completion of neuralts\n";
  for (const auto& below : all.commands) {
    text += fmt::format("complete -c neuralts -n __fish_use_subcommand -f -a {} -d {}\n", below.name,
                        quoted(below.text));
    for (const auto& flag : below.flags) {
      if (flag.positional) continue;
      text += fmt::format("complete -c neuralts -n '__fish_seen_subcommand_from {}'", below.name);
      for (const auto& name : flag.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      text += fmt::format("{} -d {}\n", flag.value.empty() ? "" : " -r", quoted(flag.text));
    }
  }
  return text;
}

}  // namespace

std::string completion(const CommandInfo& all, const std::string& shell) {
  if (shell == "bash") return bash(all);
  if (shell == "zsh") return zsh(all);
  if (shell == "fish") return fish(all);
  throw Error(ErrorCode::bad_spec, "completion", "unknown shell '" + shell + "'", "bash, zsh or fish");
}

}  // namespace neuralts::cli
