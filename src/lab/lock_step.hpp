// Many runs in lock-step: each plays to its next training by the code every run goes through, then all
// trainings go to an engine together. With several engines the runs are dealt out among them, and while some
// train the others play. What a run does depends on nothing but itself; company changes only how long it takes.
#pragma once

#include "lab/worlds.hpp"
#include "neuralts/lab.hpp"

namespace neuralts {

class TrainEngine;

struct LockStep {
  std::vector<TrainEngine*> engines;  ///< at least one
  Worlds& worlds;
  std::string gpu{};           ///< the engines' name, for the records
  std::size_t runs_max = 512;  ///< at a time
  std::size_t threads = 0;     ///< that play; 0: as many as the machine has
  std::function<bool()> stop{};
  std::function<RunHooks(std::size_t index)> hooks{};  ///< of the run with this place in the experiment

  /// Seconds of the last call: all, and those with a training under way in an engine.
  double seconds = 0, training_seconds = 0;

  /// Takes runs from `work` until there are none and hands their records back. A run that throws becomes a
  /// failed record; an engine that throws, or a mistyped specification, ends everything. When stopped, the runs
  /// under way are given up. `work` is used from the calling thread alone.
  void carry_out(WorkSource& work);
};

}  // namespace neuralts
