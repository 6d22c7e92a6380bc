// The whole service in one thread: the real code, with virtual time, a disk that forgets and fails, and a
// network that loses, doubles and delays. A seed is a history; a seed that fails, fails again.
#pragma once

#include <cstdint>
#include <string>

namespace neuralts::serve {

struct SimulationReport {
  std::string failure;                     ///< empty: every promise was kept
  std::uint64_t events = 0, rewards = 0;   ///< acknowledged
  std::uint64_t kills = 0, power_losses = 0, faults = 0, full = 0, refused = 0;
  std::uint64_t records = 0, models = 0, recomputed = 0;
};

/// Runs `steps` random steps of clients, network, commit, learners, clock and faults; then heals everything and
/// checks: what was acknowledged is in the journal, once; every event is joined as a naive oracle joins it; the
/// learned bytes are those of a replay without checkpoints; decisions are what their model and seed say.
SimulationReport simulate(std::uint64_t seed, std::size_t steps);

}  // namespace neuralts::serve
