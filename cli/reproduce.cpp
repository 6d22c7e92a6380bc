// neuralts reproduce: the paper's table, figures, delay and run-time experiments by one command.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "arguments.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "lab/machine.hpp"
#include "lab/reproduction.hpp"
#include "sweep.hpp"

namespace neuralts::cli {

namespace {

struct Flags {
  Reproduction reproduction;
  std::vector<std::string> env;
  SweepFlags sweep;
  bool plan = false;
};

std::string duration(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::size_t jobs_of(const Flags& flags) { return flags.sweep.jobs > 0 ? flags.sweep.jobs : this_machine().cores; }

/// What the folder does not hold yet, and how long that will take.
void announce(const char* step, const Experiment& experiment, const Flags& flags) {
  const ResultsFolder folder(flags.sweep.out);
  std::map<std::string, bool> done;
  for (const auto& record : folder.records()) done[run_key(record.spec)] = record.ok();
  auto runs = expand(experiment);
  const std::size_t all = runs.size();
  std::erase_if(runs, [&](const RunSpec& run) { return done[run_key(run)]; });
  if (runs.empty()) return;
  if (flags.sweep.device != "cpu") {  // a short run on the processor says nothing of a device
    fmt::print(stderr, "{}: {} of {} runs to do on {}\n", step, runs.size(), all, flags.sweep.device);
    return;
  }
  fmt::print(stderr, "{}: {} of {} runs to do; measuring how long that takes\n", step, runs.size(), all);
  const Estimate guess = estimate(runs, jobs_of(flags), flags.sweep.data);
  fmt::print(stderr, "{}: about {} with {} runs at a time\n", step, duration(guess.seconds), jobs_of(flags));
}

int execute(Flags& flags) {
  Reproduction& reproduction = flags.reproduction;
  reproduction.envs = flags.env;
  reproduction.device = flags.sweep.device;
  if (flags.sweep.out.empty()) flags.sweep.out = fmt::format("reproduce-{}{}", reproduction.preset, reproduction.quick ? "-quick" : "");
  const Experiment search = search_experiment(reproduction);
  announce("search", search, flags);
  if (flags.plan) return 0;
  SweepFlags searching = flags.sweep;
  searching.list = false;
  const int searched = carry_out(search, searching);
  if (interrupted()) return searched;
  const auto records = ResultsFolder(flags.sweep.out).records();
  const Experiment repeat = repeat_experiment(reproduction, Summary(records));
  if (repeat.grids.empty()) return searched;
  announce("repeats", repeat, flags);
  return std::max(searched, carry_out(repeat, flags.sweep));
}

}  // namespace

void add_reproduce(CLI::App& app, int& status) {
  auto flags = std::make_shared<Flags>();
  Reproduction& reproduction = flags->reproduction;
  auto* command = app.add_subcommand("reproduce", "the paper's experiments: table, figures, delay, runtime, all");
  command->add_option("what", reproduction.what, "table | figures | delay | runtime | all")->required();
  command->add_option("--preset", reproduction.preset, "released: what was published; tuned: ours")->capture_default_str();
  command->add_flag("--quick", reproduction.quick, "few seeds and rounds, no search: within ten minutes on two cores");
  command->add_option("--seeds", reproduction.seeds, "repeats (default 20; 3 with --quick)")->check(at_least_one);
  command->add_option("--search-seeds", reproduction.search_seeds, "seeds of the parameter search")->capture_default_str()->check(at_least_one);
  command->add_option("--rounds", reproduction.rounds, "horizon (default: as published; 500 with --quick)")->check(at_least_one);
  command->add_option("--env", flags->env, "only these data sets")->delimiter(',');
  command->add_option("--policy", reproduction.policies, "only these of the experiment's policies")->delimiter(',');
  command->add_option("--out", flags->sweep.out, "the results folder (default: reproduce-PRESET)");
  command->add_flag("--plan", flags->plan, "only say how long it would take");
  add_sweep_flags(*command, flags->sweep);
  command->footer("Example:\n  neuralts reproduce table --quick --data data");
  command->callback([flags, &status] {
    if (!work_for_others(flags->sweep)) status = execute(*flags);
  });
}

}  // namespace neuralts::cli
