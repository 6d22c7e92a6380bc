// What `run` and `reproduce` share: an experiment is carried out, shown, kept and told.
#pragma once

#include <functional>
#include <string>

#include "neuralts/lab.hpp"

namespace CLI {
class App;
class Option;
}

namespace neuralts::cli {

struct SweepFlags {
  std::string out, data, device = "cpu";
  std::size_t jobs = 0;
  std::size_t task = 0, of = 1;  ///< SweepOptions
  bool json = false, quiet = false;
  bool list = true;  ///< whether the runs are printed at the end
  std::string table = "regret";  ///< which table is printed of many
  std::function<void(const RunSpec&, const RoundRecord&)> record;
};
void add_sweep_flags(CLI::App& command, SweepFlags& flags);
/// --task and --of; returns --task.
CLI::Option* add_task_flags(CLI::App& command, SweepFlags& flags);

/// Under mpirun, on every process but the first: does runs until the first is done, and returns true. To be
/// asked before anything else.
bool work_for_others(const SweepFlags& flags);

/// Runs, prints, writes the folder and its report. Returns the exit status: 1 when a run failed or the user
/// interrupted.
int carry_out(const Experiment& experiment, const SweepFlags& flags);

}  // namespace neuralts::cli
