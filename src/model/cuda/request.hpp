// One training as the host asks for it: plain arrays, so that the device's side knows nothing of networks and
// policies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/cuda/device_job.hpp"

namespace neuralts::cuda {

/// The rounds of one block, on the host.
struct HostRows {
  const float* x = nullptr;        ///< rows x d
  const float* rewards = nullptr;
  const float* weights = nullptr;  ///< null: all 1
  std::size_t rows = 0;
};

struct Request {
  unsigned d = 0, m = 0, L = 2;
  bool biases = false;
  float scale = 1;

  /// The rounds. As long as `history` and `generation` stay the same, rounds are only ever added: the device
  /// keeps those it has.
  std::uint64_t history = 0, generation = 0;
  std::vector<HostRows> blocks;

  bool span = false;                      ///< layer 1 in the span of its rows; REQUIRES what fit_span.cuh asks for

  std::span<const float> theta;           ///< where the training starts
  const float* anchor = nullptr;          ///< null: 0
  /// Moments that go in and come out; empty: they start at 0 and are forgotten.
  std::span<const float> first, second;
  StepRule rule = StepRule::descent;
  unsigned steps = 0;
  double length = 0;                      ///< 0: measured
  double weight = 1, decay = 0, momentum = 0;
  double power1 = 1, power2 = 1;          ///< as in DeviceJob
};

/// What came out. Moments: empty unless they went in.
struct Fitted {
  std::span<const float> theta, first, second;
};

}  // namespace neuralts::cuda
