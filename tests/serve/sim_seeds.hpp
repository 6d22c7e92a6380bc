// Which histories a simulation plays.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace neuralts::serve {

struct SimSeeds {
  std::uint64_t first = 1, last = 1;
};
/// 1 .. `last`, or what NEURALTS_SIM_SEEDS=FIRST..LAST asks for (scripts/gate simulation).
inline SimSeeds sim_seeds(std::uint64_t last) {
  SimSeeds seeds{1, last};
  if (const char* range = std::getenv("NEURALTS_SIM_SEEDS"))
    std::sscanf(range, "%lu..%lu", &seeds.first, &seeds.last);
  return seeds;
}

}  // namespace neuralts::serve
