// One table of commands: each parses its own flags, calls the library, prints.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace neuralts::cli {

/// Adds a subcommand with its flags to `app`. Its callback may throw neuralts::Error (exit status 1) or set the
/// exit status.
struct Command {
  const char* name;
  void (*add)(CLI::App& app, int& status);
};

void add_run(CLI::App& app, int& status);
void add_compare(CLI::App& app, int& status);
void add_reproduce(CLI::App& app, int& status);
void add_report(CLI::App& app, int& status);
void add_evaluate(CLI::App& app, int& status);
void add_tune(CLI::App& app, int& status);
void add_policies(CLI::App& app, int& status);
void add_theory(CLI::App& app, int& status);
void add_bench(CLI::App& app, int& status);
void add_explain(CLI::App& app, int& status);
void add_envs(CLI::App& app, int& status);
void add_data(CLI::App& app, int& status);
void add_serve(CLI::App& app, int& status);
void add_load(CLI::App& app, int& status);
void add_manual(CLI::App& app, int& status);
void add_completion(CLI::App& app, int& status);

}  // namespace neuralts::cli
