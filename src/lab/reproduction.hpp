// The paper's experiments as experiments of the lab: its grids, its choice of the best, its repeats.
//
// Two steps. The search: every configuration of the grids, on a few seeds. The repeats: the best configuration of
// each policy on each data set, on all seeds. The search's seeds are the first of the repeats', so that nothing
// is run twice.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/summary.hpp"
#include "neuralts/lab.hpp"

namespace neuralts {

struct Reproduction {
  std::string what = "table";       ///< table | figures | delay | runtime | all
  std::string preset = "released";  ///< released | tuned | paper
  bool quick = false;               ///< few seeds, few rounds, no search
  std::size_t seeds = 0;            ///< 0: 20, or 3 when quick
  std::size_t search_seeds = 1;
  std::size_t rounds = 0;           ///< 0: the published horizon, or 500 when quick
  std::vector<std::string> envs{};  ///< empty: the six
  std::vector<std::string> policies{};  ///< empty: all of the experiment
  std::string device{};             ///< what trains the networks: "" or "cpu", "cuda"
};

/// Whether there is anything to choose from: with `quick` every policy has one configuration, and the search is
/// left out.
bool searches(const Reproduction& reproduction);
/// Throws Error(bad_spec) for an unknown `what` or preset.
Experiment search_experiment(const Reproduction& reproduction);
/// The repeats before the search has chosen: with the first configuration of every policy. For the price, and
/// where nothing is searched.
Experiment planned_repeats(const Reproduction& reproduction);
/// The folder the experiment goes to unless another is named: delays have one of their own.
std::string default_folder(const Reproduction& reproduction);
/// `found`: the records of the search; others may be among them.
Experiment repeat_experiment(const Reproduction& reproduction, const Summary& found);

/// How long the experiment will take, guessed from short runs of every policy in every world: processor time,
/// the least of several, so that what else the machine does matters little.
struct Estimate {
  double seconds = 0;  ///< with `jobs` runs at a time
  std::size_t runs = 0;
};
/// seconds * (n / rounds)^exponent for a run of n rounds.
struct RunTime {
  double seconds = 0, exponent = 1, rounds = 1;
};
/// By world and policy: what has been tried once is not tried again.
using RunTimes = std::map<std::string, RunTime>;
Estimate estimate(const std::vector<RunSpec>& runs, std::size_t jobs, const std::string& data_dir, RunTimes& known);

}  // namespace neuralts
