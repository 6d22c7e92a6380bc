#include "lab/device_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "lab/lock_step.hpp"
#include "model/cuda/engine.hpp"

namespace neuralts {

std::vector<int> all_devices() {
  std::vector<int> devices(std::max<std::size_t>(1, cuda_devices().size()));
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

std::vector<std::string> DeviceRuns::carry_out(WorkSource& work) const {
  const auto engine = make_cuda_engine(device);
  LockStep lock_step{.engine = *engine, .worlds = worlds, .gpu = cuda_devices().at(static_cast<std::size_t>(device))};
  lock_step.runs_max = runs_max;
  lock_step.threads = threads;
  lock_step.stop = stop;
  lock_step.hooks = hooks;
  lock_step.carry_out(work);
  auto notes = engine->notes();
  if (lock_step.seconds > 0)
    notes.push_back(fmt::format("{}: {:.1f} s, {:.1f} % of them in trainings", lock_step.gpu, lock_step.seconds,
                                100 * lock_step.training_seconds / lock_step.seconds));
  return notes;
}

void run_on_device(WorkSource& work, int device, const SweepOptions& options) {
  Worlds worlds(options.data_dir, options.worlds);
  DeviceRuns runs{.worlds = worlds, .device = device};
  if (options.jobs > 0) runs.runs_max = options.jobs;
  runs.stop = options.stop;
  for (const auto& note : runs.carry_out(work))
    if (options.remark) options.remark(note);
}

}  // namespace neuralts
