#include "simulation.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "sim_seeds.hpp"

namespace neuralts::serve {

TEST(SimulationTest, EveryPromiseHoldsForEverySeed) {
  const auto [first, last] = sim_seeds(200);
  SimulationReport sum;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const SimulationReport report = simulate(seed, 1500);
    ASSERT_EQ(report.failure, "");
    sum.events += report.events;
    sum.rewards += report.rewards;
    sum.kills += report.kills;
    sum.power_losses += report.power_losses;
    sum.faults += report.faults;
    sum.full += report.full;
    sum.refused += report.refused;
    sum.models += report.models;
    sum.recomputed += report.recomputed;
  }
  std::printf(
      "seeds %lu..%lu: %lu events and %lu rewards acknowledged, %lu kills, %lu power losses, %lu faults, %lu "
      "full disks, "
      "%lu refusals, %lu models, %lu decisions made again\n",
      first, last, sum.events, sum.rewards, sum.kills, sum.power_losses, sum.faults, sum.full, sum.refused,
      sum.models, sum.recomputed);
  // The simulation is worth its name only when it does all of this.
  EXPECT_GT(sum.events, last - first);
  EXPECT_GT(sum.rewards, 0U);
  EXPECT_GT(sum.kills, 0U);
  EXPECT_GT(sum.power_losses, 0U);
  EXPECT_GT(sum.recomputed, 0U);
}

TEST(SimulationTest, ASeedIsAHistory) {
  const SimulationReport once = simulate(4711, 1500), again = simulate(4711, 1500);
  EXPECT_EQ(once.failure, again.failure);
  EXPECT_EQ(once.records, again.records);
  EXPECT_EQ(once.events, again.events);
}

}  // namespace neuralts::serve
