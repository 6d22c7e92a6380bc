// Manual pages in troff (man macros).
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "command_tree.hpp"
#include "neuralts/error.hpp"
#include "neuralts/version.hpp"

namespace neuralts::cli {

namespace {

/// Text as it is: no character of it is read as a command.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += fmt::format("\\&{}", c);
    else
      out += c;
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + plain(text) + "\\fR"; }
std::string slanted(const std::string& text) { return "\\fI" + plain(text) + "\\fR"; }

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string heading(const FlagInfo& flag) {
  if (flag.positional) return slanted(flag.names.front());
  std::string text;
  for (const auto& name : flag.names) text += (text.empty() ? "" : ", ") + bold(name);
  return flag.value.empty() ? text : text + " " + slanted(flag.value);
}

std::string synopsis(const std::string& path, const CommandInfo& command) {
  std::string line = bold(path);
  if (!command.commands.empty()) line += " " + slanted("COMMAND");
  for (const auto& flag : command.flags)
    if (flag.positional)
      line += " " + (flag.required ? slanted(flag.names.front()) : "[" + slanted(flag.names.front()) + "]");
  return line + " [" + slanted("OPTION") + "...]\n";
}

std::string flag_list(const std::vector<FlagInfo>& flags) {
  std::string text;
  for (const auto& flag : flags) {
    text += ".TP\n" + heading(flag) + "\n" + plain(flag.text);
    text += flag.initial.empty() ? "\n" : fmt::format(" (default: {})\n", plain(flag.initial));
  }
  return text;
}

/// The footer is laid out by hand: kept as it is.
std::string footer(const std::string& text) {
  if (text.empty()) return "";
  const bool examples = text.starts_with("Example");
  const std::string body = examples ? text.substr(text.find('\n') + 1) : text;
  return fmt::format(".SH {}\n.nf\n{}\n.fi\n", examples ? "EXAMPLES" : "NOTES", plain(body));
}

std::string page(const std::string& name, const std::string& path, const CommandInfo& command,
                 const std::string& see_also) {
  std::string text = fmt::format(".TH \"{}\" 1 \"\" \"neuralts {}\" \"User Commands\"\n", upper(plain(name)),
                                 plain(version()));
  const auto colon = command.text.starts_with("neuralts: ") ? std::string("neuralts: ").size() : 0;
  text += fmt::format(".SH NAME\n{} \\- {}\n", plain(name), plain(command.text.substr(colon)));
  text += ".SH SYNOPSIS\n" + synopsis(path, command);
  if (!command.flags.empty()) text += ".SH OPTIONS\n" + flag_list(command.flags);
  if (!command.commands.empty()) text += ".SH COMMANDS\n";
  for (const auto& below : command.commands) {
    text += ".TP\n" + bold(below.name) + "\n" + plain(below.text) + "\n";
    if (name == "neuralts" || below.flags.empty()) continue;  // its commands have pages of their own
    text += ".RS\n" + flag_list(below.flags) + ".RE\n";
  }
  return text + footer(command.footer) + ".SH SEE ALSO\n" + see_also + "\n";
}

}  // namespace

std::string manual_page(const CommandInfo& all, const std::string& command) {
  std::vector<std::string> names;
  std::string pages;
  for (const auto& below : all.commands) {
    names.push_back(below.name);
    pages += (pages.empty() ? "" : ", ") + bold("neuralts-" + below.name) + "(1)";
  }
  if (command.empty() || command == all.name) return page(all.name, all.name, all, pages);
  const auto found = std::find_if(all.commands.begin(), all.commands.end(),
                                  [&](const CommandInfo& each) { return each.name == command; });
  if (found == all.commands.end())
    throw Error(ErrorCode::bad_spec, "manual", "unknown command '" + command + "'", suggest(command, names));
  return page("neuralts-" + command, "neuralts " + command, *found, bold("neuralts") + "(1)");
}

}  // namespace neuralts::cli
