// neuralts run: any number of worlds, policies, parameters, seeds and delays.
#include <CLI/CLI.hpp>

#include "arguments.hpp"
#include "command.hpp"
#include "neuralts/run_log.hpp"
#include "sweep.hpp"

namespace neuralts::cli {

namespace {

struct Flags {
  std::vector<std::string> env, policy, preset, set, delay;
  std::string seeds, file, log;
  std::size_t rounds = 0;
  SweepFlags sweep;
};

std::vector<std::string> items(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const auto& text : texts)
    for (auto& item : split_list(text)) all.push_back(std::move(item));
  return all;
}

/// Flags win over what the file says, in every grid of it.
void apply(const Flags& flags, Grid& grid) {
  if (!flags.env.empty()) grid.envs = items(flags.env);
  if (!flags.policy.empty()) grid.policies = items(flags.policy);
  if (!flags.preset.empty()) grid.presets = items(flags.preset);
  if (!flags.delay.empty()) grid.delays = items(flags.delay);
  if (!flags.seeds.empty()) grid.seeds = parse_seeds(flags.seeds);
  if (flags.rounds > 0) grid.rounds = flags.rounds;
  for (const auto& text : flags.set)
    for (auto& [key, values] : parse_set(text)) grid.set[key] = std::move(values);
}

Experiment experiment_of(const Flags& flags) {
  Experiment experiment;
  if (flags.file.empty())
    experiment.grids.push_back({.envs = {"quadratic"}, .policies = {"neural-ts"}});
  else
    experiment = read_experiment(flags.file);
  for (auto& grid : experiment.grids) apply(flags, grid);
  return experiment;
}

/// A log is of one run, and is there when the run is complete.
int carry_out_logged(const Experiment& experiment, Flags& flags) {
  const auto runs = expand(experiment);
  if (runs.size() != 1)
    throw Error(ErrorCode::bad_spec, "--log", "a log is of one run, these are " + std::to_string(runs.size()),
                "give one world, one policy and one seed");
  RunLog log(flags.log, make_environment(runs.front().env, flags.sweep.data)->info(), runs.front());
  flags.sweep.record = [&](const RunSpec&, const RoundRecord& record) { log.write(record); };
  const int status = carry_out(experiment, flags.sweep);
  if (status == 0) log.finish();
  return status;
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand("run", "run policies in worlds");
  command
      ->add_option(
          "--env", flags->env,
          "worlds: A,B or 'wheel:delta=0.95,noise=0.1,mushroom' (key=value belongs to the world before it)")
      ->allow_extra_args(false);
  command->add_option("--policy", flags->policy, "policies: P,Q or 'neural-ts:nu=0.1,random'")
      ->allow_extra_args(false);
  command->add_option("--preset", flags->preset, "presets; a policy without it keeps its default")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--set", flags->set,
          "KEY=VALUE or KEY=V1,V2: a parameter of the policies that have it; several values make a grid")
      ->allow_extra_args(false);
  command
      ->add_option("--delay", flags->delay,
                   "when rewards arrive: 0, B (batches), uniform:a..b, exponential:mean, each with ,lost=p; a list")
      ->allow_extra_args(false);
  command->add_option("--seeds,--seed", flags->seeds, "1..20 or 1,2,5");
  command->add_option("--rounds", flags->rounds, "horizon (default: the world's)")->check(at_least_one);
  command->add_option("--file", flags->file, "an experiment in a .toml or .json file; flags win over it");
  auto* out = command->add_option("--out", flags->sweep.out, "the results folder: what it holds is not run again");
  auto* log = command->add_option("--log", flags->log,
                                  "write every round of the one run to this file; --env log:FILE replays it");
  log->excludes(out);
  log->excludes(add_task_flags(*command, flags->sweep));
  add_sweep_flags(*command, flags->sweep);
  command->footer(
      "Examples:\n"
      "  neuralts run --env quadratic --policy neural-ts --set nu=0.1 --rounds 2000 --seed 1\n"
      "  neuralts run --env mushroom,shuttle --policy neural-ts,linear-ucb --set nu=1,0.1,0.01 --seeds 1..20 --out results\n"
      "  neuralts run --file experiment.toml --task $SLURM_ARRAY_TASK_ID --of 16 --out results");
  command->callback([flags, &status] {
    if (work_for_others(flags->sweep)) return;
    const Experiment experiment = experiment_of(*flags);
    status = flags->log.empty() ? carry_out(experiment, flags->sweep) : carry_out_logged(experiment, *flags);
  });
}

}  // namespace neuralts::cli
