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
  std::string limit_by;  ///< who set the limit: a library's name, "reading memory", "asked for"
};

/// Limits of this machine, measured on one core.
struct Machine {
  std::string product_by;  ///< the library whose product is the limit (measure/blas.hpp)
  double sgemm = 0;        ///< its GFLOP/s of C = A B, 1024 x 1024 x 1024, float32
  double own_sgemm = 0;    ///< ours
  double bandwidth = 0;    ///< GB/s of reading 256 MiB
};
Machine measure_machine(bool quick);

/// GFLOP/s of that library in the two products of a training step over n rounds, d inputs, m units: X W, and X' D.
double product_rate(std::size_t d, std::size_t m, std::size_t n, double budget);

struct Benchmark {
  const char* name;
  const char* summary;
  Measurement (*run)(const Machine& machine, bool quick);
};

/// All of them, in the order they are printed.
const std::vector<Benchmark>& benchmarks();

}  // namespace neuralts::bench
