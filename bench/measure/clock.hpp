// Time as the processor spent it on this program, so that a busy machine distorts less; and the fastest of many
// repetitions.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace neuralts::bench {

inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Seconds of the fastest call of body() among as many as fit in `budget` seconds, at least three.
template <class Body>
double fastest(double budget, Body&& body) {
  double best = std::numeric_limits<double>::infinity();
  const double start = cpu_seconds();
  for (std::size_t calls = 0; calls < 3 || cpu_seconds() - start < budget; ++calls) {
    const double before = cpu_seconds();
    body();
    best = std::min(best, cpu_seconds() - before);
  }
  return best;
}

}  // namespace neuralts::bench
