// Speed, and the machine's own limits, measured in one run: what `neuralts bench` prints.
#pragma once

#include <string>
#include <vector>

namespace neuralts::bench {

struct Measurement {
  std::string name;
  double value = 0;
  std::string unit;
  double limit = 0;   ///< what the machine can do (rates), or what is asked for (times, ratios)
  double ratio = 0;   ///< value / limit
};

/// Limits of this machine, measured on one core.
struct Machine {
  double sgemm = 0;      ///< GFLOP/s of C = A B, 1024 x 1024 x 1024, float32
  double bandwidth = 0;  ///< GB/s of reading 256 MiB
};
Machine measure_machine(bool quick);

struct Benchmark {
  const char* name;
  const char* summary;
  Measurement (*run)(const Machine& machine, bool quick);
};

/// All of them, in the order they are printed.
const std::vector<Benchmark>& benchmarks();

}  // namespace neuralts::bench
