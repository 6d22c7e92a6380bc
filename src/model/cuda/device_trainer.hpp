// Trains many networks at once on one device.
#pragma once

#include <span>
#include <string>

#include "base/parallel.hpp"
#include "model/cuda/history_cache.hpp"
#include "model/cuda/launch.hpp"
#include "model/cuda/request.hpp"

namespace neuralts::cuda {

class DeviceTrainer {
 public:
  /// Throws Error when there is no such device or it is too old.
  explicit DeviceTrainer(int device);

  /// All of them side by side, their numbers moved by `crew`. REQUIRES fits() of each, and rounds. One thread
  /// at a time.
  void train(std::span<const Request> requests, Crew& crew);
  /// What became of request i of the last train(), until the next. Numbers may be not finite: that is the
  /// caller's to judge.
  Fitted fitted(std::size_t i) const;

 private:
  struct Layout;
  struct Place {
    std::size_t theta, first, second, parameters;
    bool has_first, has_second;
  };
  void plan(std::span<const Request> requests, Layout& layout);
  void fill(std::span<const Request> requests, const Layout& layout, Crew& crew);
  void run(std::span<const Request> requests, Crew& crew);

  struct Current {
    explicit Current(int device) { check(cudaSetDevice(device), "the device"); }
  };
  int device_;
  Current current_;
  Queue queue_;
  HistoryCache histories_;
  Launcher launcher_;
  PinnedBytes up_, down_;
  DeviceBytes there_, work_;
  std::vector<Place> fitted_;
};

/// Names of the devices that can train, in the runtime's order; empty: none.
std::vector<std::string> device_names();

}  // namespace neuralts::cuda
