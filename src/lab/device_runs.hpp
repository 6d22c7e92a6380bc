// Runs in lock-step on one CUDA device.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/worlds.hpp"

namespace neuralts {

class CudaEngine;
class TrainEngine;

/// Engines that share a device: the trainings of some fill it while the runs of another play.
class CudaEngines {
 public:
  /// Throws Error(unsupported) when there is no such device.
  explicit CudaEngines(int device, std::size_t count = 3);
  ~CudaEngines();
  std::vector<TrainEngine*> all() const;
  /// Why trainings went to the processor instead, each reason once.
  std::vector<std::string> notes() const;

 private:
  std::vector<std::unique_ptr<CudaEngine>> engines_;
};

struct DeviceRuns {
  Worlds& worlds;
  int device = 0;
  std::size_t threads = 0;     ///< that play; 0: as many as the machine has
  std::size_t runs_max = 512;  ///< at a time
  std::function<bool()> stop{};
  std::function<RunHooks(std::size_t index)> hooks{};

  /// Takes runs from `work` until there are none. Returns what a user should read once.
  /// Throws Error(unsupported) when there is no such device.
  std::vector<std::string> carry_out(WorkSource& work) const;
};

/// The devices there are; where there is none, the first, whose absence is an error that says why.
std::vector<int> all_devices();

}  // namespace neuralts
