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

CudaEngines::CudaEngines(int device, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) engines_.push_back(make_cuda_engine(device));
}

CudaEngines::~CudaEngines() = default;

std::vector<TrainEngine*> CudaEngines::all() const {
  std::vector<TrainEngine*> all;
  for (const auto& engine : engines_) all.push_back(engine.get());
  return all;
}

std::vector<std::string> CudaEngines::notes() const {
  std::vector<std::string> notes;
  for (const auto& engine : engines_)
    for (auto& note : engine->notes())
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  return notes;
}

std::vector<std::string> DeviceRuns::carry_out(WorkSource& work) const {
  const CudaEngines engines(device);
  LockStep lock_step{
      .engines = engines.all(), .worlds = worlds, .gpu = cuda_devices().at(static_cast<std::size_t>(device))};
  lock_step.runs_max = runs_max;
  lock_step.threads = threads;
  lock_step.stop = stop;
  lock_step.hooks = hooks;
  lock_step.carry_out(work);
  auto notes = engines.notes();
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
