// Many runs in lock-step: each plays to its next training by the code every run goes through, then all trainings go to one engine
// together. What a run does depends on nothing but itself; company changes only how long it takes.
#pragma once

#include "lab/worlds.hpp"
#include "neuralts/lab.hpp"

namespace neuralts {

class TrainEngine;

struct LockStep {
  TrainEngine& engine;
  Worlds& worlds;
  std::string gpu{};           ///< the engine's name, for the records
  std::size_t runs_max = 512;  ///< at a time
  std::size_t threads = 0;     ///< that play; 0: as many as the machine has
  std::function<bool()> stop{};
  std::function<RunHooks(std::size_t index)> hooks{};  ///< of the run with this place in the experiment

  /// Seconds of the last call: all, and those in the engine.
  double seconds = 0, training_seconds = 0;

  /// Takes runs from `work` until there are none and hands their records back. A run that throws becomes a failed record; an engine
  /// that throws, or a mistyped specification, ends everything. When stopped, the runs under way are given up.
  void carry_out(WorkSource& work);
};

}  // namespace neuralts
