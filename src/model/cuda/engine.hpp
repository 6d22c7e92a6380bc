// Training on a CUDA device. Networks are fitted as on the processor, up to the rounding of float32; the same
// jobs give the same bits whatever trains beside them.
//
// What the device takes: float32, all rounds in every step (no mini-batches), no early stopping, up to 128
// blocks, and 16 rounds' activations within a thread block's shared memory: (d + (L + 1) m + 1) numbers up to
// 3,500. Everything else goes to the processor.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/train.hpp"

namespace neuralts {

class CudaEngine : public TrainEngine {
 public:
  /// Why trainings went to the processor instead, each reason once.
  virtual std::vector<std::string> notes() const = 0;
};

/// Throws Error(unsupported) when this build has no CUDA or the machine no such device.
std::unique_ptr<CudaEngine> make_cuda_engine(int device = 0);

/// Names of the devices that can train; empty when there is none or this build has no CUDA.
std::vector<std::string> cuda_devices();

}  // namespace neuralts
