#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "neuralts/error.hpp"
#include "neuralts/version.hpp"
#include "output.hpp"

namespace {

using neuralts::cli::Command;
constexpr Command commands[] = {
    {"run", neuralts::cli::add_run},
    {"report", neuralts::cli::add_report},
    {"compare", neuralts::cli::add_compare},
    {"reproduce", neuralts::cli::add_reproduce},
    {"evaluate", neuralts::cli::add_evaluate},
    {"tune", neuralts::cli::add_tune},
    {"policies", neuralts::cli::add_policies},
    {"theory", neuralts::cli::add_theory},
    {"bench", neuralts::cli::add_bench},
    {"explain", neuralts::cli::add_explain},
    {"envs", neuralts::cli::add_envs},
    {"data", neuralts::cli::add_data},
#ifdef NEURALTS_HAS_SERVE
    {"serve", neuralts::cli::add_serve},
    {"load", neuralts::cli::add_load},
#endif
    {"manual", neuralts::cli::add_manual},
    {"completion", neuralts::cli::add_completion},
};

constexpr const char* examples =
    "Examples:\n"
    "  neuralts run --env quadratic --policy neural-ts --rounds 2000\n"
    "  neuralts run --env mushroom --policy neural-ts --seed 3 --json\n"
    "  neuralts run --env quadratic --policy neural-ts,linear-ucb --seeds 1..8 --out results\n"
    "  neuralts policies neural-ts\n"
    "  neuralts help run\n"
    "Exit status: 0, 1 (failed), 2 (usage).";

using Words = std::vector<std::string>;

// "help run" is short for "run --help".
Words words_of(int argc, char** argv) {
  Words words(argv + std::min(argc, 1), argv + argc);
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

// CLI11 alone would only say that a command is missing.
void refuse_unknown_command(const Words& words) {
  if (words.empty() || words.front().starts_with('-')) return;
  Words names;
  for (const auto& command : commands) names.emplace_back(command.name);
  if (std::find(names.begin(), names.end(), words.front()) != names.end()) return;
  throw neuralts::Error(neuralts::ErrorCode::bad_spec, "command line", "unknown command '" + words.front() + "'",
                        neuralts::suggest(words.front(), names));
}

// CLI11 alone would list what is left over, back to front.
void refuse_unknown_option(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) refuse_unknown_option(*command);
  Words names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back(name);
  for (const auto& word : app.remaining()) {
    const std::string bare = word.substr(std::min(word.find_first_not_of('-'), word.size()));
    if (bare.size() < 2 || bare == word) continue;
    const std::string near = neuralts::nearest(bare.substr(0, bare.find('=')), names);
    throw neuralts::Error(neuralts::ErrorCode::bad_spec, "command line", "unknown option '" + word + "'",
                          near.empty() ? "--help lists those there are" : "did you mean '--" + near + "'?");
  }
}

int perform(int argc, char** argv) {
  CLI::App app{"neuralts: neural contextual bandits", "neuralts"};
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("neuralts ") + neuralts::version());
  int status = 0;
  for (const auto& command : commands) command.add(app, status);
  neuralts::cli::check_arguments(app);
  app.footer(examples);  // after the commands, which would inherit it
  try {
    Words words = words_of(argc, argv);
    refuse_unknown_command(words);
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    try {
      app.parse(std::move(words));
    } catch (const CLI::ExtrasError&) {
      refuse_unknown_option(app);
      throw;
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const neuralts::Error& error) {
    fmt::print(stderr, "neuralts: {}\n", error.what());
    return error.code() == neuralts::ErrorCode::bad_spec ? 2 : 1;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "neuralts: memory ran out: give it more, or ask for less at a time\n");
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "neuralts: {}\n", error.what());
    return 1;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  neuralts::cli::occupy_standard_streams();
  const int status = perform(argc, argv);
  return neuralts::cli::output_is_complete() || status != 0 ? status : 1;
}
