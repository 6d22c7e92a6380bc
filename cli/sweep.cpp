#include "sweep.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>

#include "arguments.hpp"
#include "command_line.hpp"
#include "interrupt.hpp"
#include "neuralts/world_facts.hpp"
#include "report/report_tables.hpp"
#include "mpi/cluster.hpp"
#include "progress.hpp"
#include "report_options.hpp"
#include "text_table.hpp"
#include "wrap.hpp"

namespace neuralts::cli {

namespace {

void print_record(const Record& record) {
  const RunSpec& spec = record.spec;
  const std::string params = spec.policy.params.empty() ? "" : " " + to_string(spec.policy.params);
  const std::string delay = to_string(spec.delay) == "0" ? "" : " delay " + to_string(spec.delay);
  fmt::print("{} {}{}{} seed {}: ", spec.env, spec.policy.name, params, delay, spec.seed);
  const RunResult& result = record.result;
  if (result.regret_known)
    fmt::print("{} rounds, regret {:.1f}, reward {:.1f}", result.rounds, result.regret, result.reward);
  else
    fmt::print("{} of {} rounds counted, mean reward {:.4f}", result.rounds, result.offered,
               result.rounds > 0 ? result.reward / static_cast<double>(result.rounds) : 0);
  fmt::print(", select {:.3f} s, learn {:.3f} s\n", result.select_seconds, result.learn_seconds);
  for (const auto& note : result.notes) fmt::print("  note: {}\n", note);
}

constexpr std::size_t most_lines = 20;  // beyond it a person wants the table

/// The table a person came for: `wanted` where there is one, else the first.
void print_table(const Summary& summary, const std::string& wanted) {
  const auto tables = main_tables(summary);
  auto table = std::find_if(tables.begin(), tables.end(), [&](const ReportTable& one) { return one.id == wanted; });
  if (table == tables.end()) table = tables.begin();
  fmt::print("{}\n{}\n{}", table->title, wrap(table->note, 2, terminal_width()), align(*table));
}

void print_records(const std::vector<Record>& records, const SweepFlags& flags) {
  if (flags.json) {
    for (const auto& record : records) fmt::print("{}\n", to_json(record, false));
    return;
  }
  const Summary summary(records);
  const bool few = records.size() <= most_lines;
  if (few)
    for (const auto& record : records)
      if (record.ok()) print_record(record);
  const auto& configs = summary.configs();
  const bool repeated = std::any_of(configs.begin(), configs.end(),
                                    [](const Config& config) { return config.runs.size() > 1; });
  if (configs.empty() || (few && !repeated)) return;
  if (few) fmt::print("\n");
  print_table(summary, flags.table);
}

void print_failures(const std::vector<Record>& records) {
  for (const auto& record : records)
    if (!record.ok())
      fmt::print(stderr, "failed: {} {} seed {}: {}\n", record.spec.env, record.spec.policy.name,
                 record.spec.seed, record.error);
}

/// Lines that are no records are kept, and named: the runs they stood for are done again.
void warn_of_unreadable(const ResultsFolder& folder) {
  for (const auto& line : folder.unreadable())
    fmt::print(stderr, "warning: {}: {}; it goes to unreadable.txt\n", folder.file("results.jsonl"), line);
}

SweepOptions options_of(const SweepFlags& flags) {
  SweepOptions options;
  options.jobs = cluster() != nullptr && flags.jobs == 0 && flags.device == "cpu" ? 1 : flags.jobs;
  options.data_dir = flags.data;
  options.record = flags.record;
  options.stop = interrupted;
  options.remark = [](const std::string& remark) { fmt::print(stderr, "note: {}\n", remark); };
  if (cluster() != nullptr && flags.device != "cpu") options.devices = {cluster()->place_on_machine()};
  if (cluster() != nullptr) options.processes = static_cast<std::size_t>(cluster()->processes());
  options.task = flags.task;
  options.of = flags.of;
  return options;
}

/// How many of the experiment's runs the folder does not know, as other tasks have not ended them yet.
std::size_t missing_runs(const Experiment& experiment, const ResultsFolder& folder, const std::string& data_dir) {
  std::set<std::string> known;
  for (const auto& record : folder.records()) known.insert(record.key);
  const auto runs = expand(experiment);
  const Runner runner(data_dir);
  return static_cast<std::size_t>(std::count_if(
      runs.begin(), runs.end(), [&](const RunSpec& run) { return !known.contains(runner.key(run)); }));
}

/// Tasks end in any order: the one that finds the folder complete writes the report.
void write_the_report(const Experiment& experiment, const ResultsFolder& folder, const SweepFlags& flags) {
  const std::size_t missing = flags.of > 1 ? missing_runs(experiment, folder, flags.data) : 0;
  if (missing > 0) {
    if (!flags.quiet)
      fmt::print(stderr, "task {} of {} is done; {} runs of other tasks are missing\n", flags.task, flags.of,
                 missing);
    return;
  }
  const auto report = write_report(folder, report_options("", flags.data, flags.quiet));
  if (!flags.quiet) fmt::print(stderr, "report: {}\n", report);
}

}  // namespace

int carry_out(const Experiment& asked, const SweepFlags& flags) {
  catch_interrupts();
  Experiment experiment = asked;
  if (flags.device != "cpu")
    for (Grid& grid : experiment.grids) grid.device = flags.device;
  // What cannot be meant leaves no trace in the folder.
  for (const RunSpec& run : expand(experiment)) check_environment(run.env);
  SweepOptions options = options_of(flags);
  std::optional<ResultsFolder> folder;
  if (!flags.out.empty()) {
    folder.emplace(flags.out);
    folder->add_command(command_line());
    options.folder = &*folder;
  }
  if (folder) warn_of_unreadable(*folder);
  ProgressView view;
  if (!flags.quiet) options.progress = [&](const SweepProgress& progress) { view.show(progress); };
  if (cluster() != nullptr) options.serve = [](WorkSource& work) { cluster()->serve(work); };
  const auto records = run_experiment(experiment, options);
  view.close();
  if (flags.list) print_records(records, flags);
  std::fflush(stdout);  // before anything more is said on standard error
  print_failures(records);
  if (folder && (flags.of > 1 || !records.empty())) write_the_report(experiment, *folder, flags);
  if (interrupted())
    fmt::print(stderr, "interrupted{}\n", folder ? "; the same command goes on where it stopped" : "");
  return interrupted() || std::any_of(records.begin(), records.end(), [](const Record& record) { return !record.ok(); }) ? 1 : 0;
}

bool work_for_others(const SweepFlags& flags) {
  if (cluster() == nullptr || cluster()->leads()) return false;
  cluster()->work(flags.data, flags.device != "cpu");
  return true;
}

void add_sweep_flags(CLI::App& command, SweepFlags& flags) {
  command.add_option("--data", flags.data, "the folder of the data sets");
  command
      .add_option(
          "--jobs", flags.jobs,
          "runs at a time (default: one per core, under mpirun one per process; on a device up to 512)")
      ->check(at_least_one);
  command.add_option(
      "--device", flags.device,
      "what trains: cpu, or cuda: all runs in lock-step, their trainings together on every GPU");
  command.add_flag("--json", flags.json, "one JSON object per run and line on standard output, nothing else");
  command.add_flag("--quiet", flags.quiet, "no progress");
}

CLI::Option* add_task_flags(CLI::App& command, SweepFlags& flags) {
  auto* task = command.add_option(
      "--task", flags.task, "do a part of the runs: I-th of --of N, counted from 0; see doc/experiments.md");
  auto* of = command.add_option("--of", flags.of, "number of tasks that share the runs")
                 ->check(at_least_one)
                 ->needs(task);
  return task->needs(of);
}

}  // namespace neuralts::cli
