// Training on a CUDA device: what `neuralts bench --device cuda` prints.
#pragma once

#include <string>
#include <vector>

#include "measure/bench.hpp"

namespace neuralts::bench {

/// Rates beside the device's own limit, a product by cuBLAS in the same precision in the same run (0: there is
/// no cuBLAS). `only`: one of device_measurements(); empty: all of them. Throws Error(unsupported) where
/// nothing can be measured.
std::vector<Measurement> measure_device(bool quick, const std::string& only = "");
const std::vector<std::string>& device_measurements();

}  // namespace neuralts::bench
