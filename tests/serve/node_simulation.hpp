// Several nodes in one thread: the real service, spool, shipper and election of each, with its own failing
// disk, over a model of the shared engine and networks that are cut. A seed is a history; a seed that fails,
// fails again.
#pragma once

#include <cstdint>
#include <string>

namespace neuralts::serve {

struct NodeSimulationReport {
  std::string failure;                     ///< empty: every promise was kept
  std::uint64_t events = 0, rewards = 0;   ///< acknowledged
  std::uint64_t decided_while_cut = 0;     ///< events acknowledged by a node that could not reach the shared engine
  std::uint64_t kills = 0, power_losses = 0, faults = 0, cuts = 0, lost_answers = 0, elections = 0,
                refused = 0, records = 0, learned = 0;
};

/// Runs `steps` random steps; then heals everything, ships and learns the rest, and checks: what any node
/// acknowledged is in the shared journal, once; the node that learns has joined it as a naive oracle does, each
/// event once; its learned bytes are a replay's.
NodeSimulationReport simulate_nodes(std::uint64_t seed, std::size_t steps);

}  // namespace neuralts::serve
