#include "node_simulation.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "sim_seeds.hpp"

namespace neuralts::serve {

TEST(NodeSimulationTest, EveryPromiseHoldsForEverySeed) {
  const auto [first, last] = sim_seeds(100);
  NodeSimulationReport sum;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const NodeSimulationReport report = simulate_nodes(seed, 2500);
    ASSERT_EQ(report.failure, "");
    sum.events += report.events;
    sum.rewards += report.rewards;
    sum.decided_while_cut += report.decided_while_cut;
    sum.kills += report.kills;
    sum.power_losses += report.power_losses;
    sum.faults += report.faults;
    sum.cuts += report.cuts;
    sum.lost_answers += report.lost_answers;
    sum.elections += report.elections;
    sum.refused += report.refused;
    sum.learned += report.learned;
  }
  std::printf(
      "seeds %lu..%lu: %lu events and %lu rewards acknowledged, %lu of them while cut off, %lu kills, %lu "
      "power losses, %lu faults, "
      "%lu cuts, %lu lost answers, %lu elections, %lu refusals, %lu rounds learned\n",
      first, last, sum.events, sum.rewards, sum.decided_while_cut, sum.kills, sum.power_losses, sum.faults,
      sum.cuts, sum.lost_answers, sum.elections, sum.refused, sum.learned);
  // The simulation is worth its name only when it does all of this.
  EXPECT_GT(sum.events, last - first);
  EXPECT_GT(sum.decided_while_cut, 0U);
  EXPECT_GT(sum.rewards, 0U);
  EXPECT_GT(sum.kills, 0U);
  EXPECT_GT(sum.elections, last - first);
  EXPECT_GT(sum.learned, 0U);
}

TEST(NodeSimulationTest, ASeedIsAHistory) {
  const NodeSimulationReport once = simulate_nodes(4711, 2500), again = simulate_nodes(4711, 2500);
  EXPECT_EQ(once.failure, again.failure);
  EXPECT_EQ(once.records, again.records);
  EXPECT_EQ(once.learned, again.learned);
}

}  // namespace neuralts::serve
