// neuralts reproduce: the paper's table, figures, delay and run-time experiments by one command.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "arguments.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "lab/machine.hpp"
#include "lab/reproduction.hpp"
#include "lab/suite.hpp"
#include "sweep.hpp"
#include "text_table.hpp"

namespace neuralts::cli {

namespace {

struct Flags {
  Reproduction reproduction;
  std::vector<std::string> env;
  SweepFlags sweep;
  bool plan = false;
  RunTimes times;
};

/// In steps that a second measurement does not leave easily: 1, 2, 5, 10, 20, 30 of seconds, minutes, hours.
std::string duration(double seconds) {
  const auto unit = seconds < 90     ? std::pair("s", 1.)
                    : seconds < 5400 ? std::pair("min", 60.)
                                     : std::pair("h", 3600.);
  constexpr double steps[] = {1, 2, 3, 5, 7, 10, 15, 20, 30, 45, 60, 90, 120, 200, 300, 500, 700, 1000};
  const double value = seconds / unit.second;
  const double* step = std::min_element(std::begin(steps), std::end(steps), [&](double a, double b) {
    return std::abs(std::log(a / value)) < std::abs(std::log(b / value));
  });
  return fmt::format("about {:g} {}", *step, unit.first);
}

std::size_t jobs_of(const Flags& flags) { return flags.sweep.jobs > 0 ? flags.sweep.jobs : this_machine().cores; }

/// The runs of the experiment that the folder does not hold yet. Makes no folder.
std::vector<RunSpec> missing_runs(const Experiment& experiment, const Flags& flags) {
  std::set<std::string> done;
  if (std::filesystem::is_directory(flags.sweep.out))
    for (const auto& record : ResultsFolder(flags.sweep.out).records())
      if (record.ok()) done.insert(record.key);
  auto runs = expand(experiment);
  const Runner runner(flags.sweep.data);
  std::erase_if(runs, [&](const RunSpec& run) { return done.contains(runner.key(run)); });
  return runs;
}

/// What is to be done, and how long that will take: seconds, or 0 where everything is there or a device does it.
double announce(const char* step, const Experiment& experiment, Flags& flags) {
  const auto runs = missing_runs(experiment, flags);
  const std::size_t all = expand(experiment).size();
  if (runs.empty()) {
    fmt::print(stderr, "{}: all {} runs are there\n", step, all);
    return 0;
  }
  if (flags.sweep.device != "cpu") {  // a short run on the processor says nothing of a device
    fmt::print(stderr, "{}: {} of {} runs to do on {}\n", step, runs.size(), all, flags.sweep.device);
    return 0;
  }
  if (!flags.sweep.quiet) fmt::print(stderr, "{}: {} of {} runs to do; trying short ones ...\n", step, runs.size(), all);
  const Estimate guess = estimate(runs, jobs_of(flags), flags.sweep.data, flags.times);
  fmt::print(stderr, "{}: {} of {} runs to do, {} with {} at a time\n", step, runs.size(), all,
             duration(guess.seconds), jobs_of(flags));
  return guess.seconds;
}

/// Of the repeats, the search's seeds are there when it is done.
Experiment without_searched(Experiment repeats, const Reproduction& reproduction) {
  for (auto& grid : repeats.grids)
    if (grid.delays.size() == 1 && grid.seeds.size() > reproduction.search_seeds)
      grid.seeds.erase(grid.seeds.begin(),
                       grid.seeds.begin() + static_cast<std::ptrdiff_t>(reproduction.search_seeds));
  return repeats;
}

int plan(Flags& flags) {
  const Reproduction& reproduction = flags.reproduction;
  double total = 0;
  Experiment repeats = planned_repeats(reproduction);
  if (searches(reproduction)) {
    total += announce("search", search_experiment(reproduction), flags);
    repeats = without_searched(std::move(repeats), reproduction);
  }
  total += announce("repeats", repeats, flags);
  if (total > 0) fmt::print(stderr, "in all: {}\n", duration(total));
  return 0;
}

/// How far the default lies behind the best rival and the best fixed exploration, the worst first: from the
/// whole folder, so that parts of the suite add up.
void print_gaps(const Flags& flags) {
  const auto records = ResultsFolder(flags.sweep.out).records();
  const auto number = [](double value) { return fmt::format("{:.1f}", value); };
  const auto gap = [](double share, double error) {
    return fmt::format("{:+.1f}", 100 * share) + (error > 0 ? fmt::format(" ({:.1f})", 100 * error) : "");
  };
  ReportTable table{
      .id = "suite",
      .title = "Behind the best rival (standard error)",
      .columns = {"world", "random", "neural-ts", "best rival", "its regret", "behind, % of random (se)",
                  "best fixed nu", "its regret", "behind, % of random (se)", "seeds"}};
  for (const SuiteRow& row : suite_rows(Summary(records)))
    table.rows.push_back({{row.world}, {number(row.chance)}, {number(row.regret)}, {row.rival}, {number(row.rival_regret)},
                          {gap(row.gap(), row.gap_error)}, {row.nu}, {row.nu.empty() ? "" : number(row.fixed_regret)},
                          {row.nu.empty() ? "" : gap(row.fixed_gap(), row.fixed_gap_error)}, {std::to_string(row.seeds)}});
  fmt::print("\n{}", align(table));
}

int run_suite(Flags& flags) {
  if (flags.sweep.out.empty()) flags.sweep.out = "suite";
  const Experiment suite = suite_experiment(flags.reproduction);
  announce("suite", suite, flags);
  if (flags.plan) return 0;
  const int status = carry_out(suite, flags.sweep);
  if (!flags.sweep.json) print_gaps(flags);
  return status;
}

void check_what(const std::string& what) {
  const std::vector<std::string> known{"table", "figures", "delay", "runtime", "all", "suite"};
  if (std::find(known.begin(), known.end(), what) == known.end())
    throw Error(ErrorCode::bad_spec, "reproduce", "unknown experiment '" + what + "'", suggest(what, known));
}

int execute(Flags& flags) {
  Reproduction& reproduction = flags.reproduction;
  check_what(reproduction.what);
  for (const auto& text : flags.env)
    for (auto& env : split_list(text)) reproduction.envs.push_back(std::move(env));
  reproduction.device = flags.sweep.device;
  if (reproduction.what == "suite") return run_suite(flags);
  if (flags.sweep.out.empty()) flags.sweep.out = default_folder(reproduction);
  if (reproduction.what == "delay") flags.sweep.table = "delay";
  if (flags.plan) return plan(flags);
  if (!searches(reproduction)) {
    announce("runs", planned_repeats(reproduction), flags);
    return carry_out(planned_repeats(reproduction), flags.sweep);
  }
  const Experiment search = search_experiment(reproduction);
  announce("search", search, flags);
  SweepFlags searching = flags.sweep;
  searching.list = false;
  const int searched = carry_out(search, searching);
  if (interrupted()) return searched;
  // Other tasks search as well.
  if (const auto missing = missing_runs(search, flags); flags.sweep.of > 1 && !missing.empty()) {
    fmt::print(stderr,
               "the repeats need the whole search: {} runs of other tasks are missing; call again when they "
               "are done\n",
               missing.size());
    return searched;
  }
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
  auto* command = app.add_subcommand(
      "reproduce", "the paper's experiments: table, figures, delay, runtime, all; and our own: suite");
  command->add_option("what", reproduction.what, "table | figures | delay | runtime | all | suite")->required();
  command->add_option("--preset", reproduction.preset, "released: what was published; tuned: ours")
      ->capture_default_str();
  command->add_flag(
      "--quick", reproduction.quick,
      "few seeds and rounds, no search: within ten minutes on two cores; suite: without the data sets");
  command
      ->add_option("--seeds", reproduction.seeds,
                   "repeats (default 20; 3 with --quick; suite: 8, 2 with --quick)")
      ->check(at_least_one);
  command->add_option("--search-seeds", reproduction.search_seeds, "seeds of the parameter search")
      ->capture_default_str()
      ->check(at_least_one);
  command->add_option("--rounds", reproduction.rounds, "horizon (default: as published; 500 with --quick)")
      ->check(at_least_one);
  command->add_option("--env", flags->env, "only these data sets or worlds")->allow_extra_args(false);
  command->add_option("--policy", reproduction.policies, "only these of the experiment's policies")->delimiter(',');
  command->add_option("--out", flags->sweep.out,
                      "the results folder (default: reproduce-PRESET, reproduce-delay-PRESET for delay)");
  command->add_flag("--plan", flags->plan, "only say what would be run and how long it would take");
  add_sweep_flags(*command, flags->sweep);
  add_task_flags(*command, flags->sweep);
  command->footer("Examples:\n  neuralts reproduce table --quick --data data\n"
                  "  neuralts reproduce suite --seeds 8 --env wheel\n"
                  "  neuralts reproduce table --data data --task $SLURM_ARRAY_TASK_ID --of 16 --out results");
  command->callback([flags, &status] {
    if (!work_for_others(flags->sweep)) status = execute(*flags);
  });
}

}  // namespace neuralts::cli
