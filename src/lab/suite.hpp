// The suite: every kind of world that a default must not be weak on, and how far the default lies behind the best of its simpler rivals
// in each.
#pragma once

#include <string>
#include <vector>

#include "lab/reproduction.hpp"

namespace neuralts {

/// The default and its rivals in every world, on seeds 1001, 1002, ... that no setting was chosen on. Of `reproduction`: seeds (0: 8),
/// envs and policies (empty: all), device.
Experiment suite_experiment(const Reproduction& reproduction);

struct SuiteRow {
  std::string world, rival;                          ///< the best rival
  double chance = 0, regret = 0, rival_regret = 0;   ///< means over seeds: of `random`, of the default, of the rival
  std::size_t seeds = 0;                             ///< of the default
  double gap() const { return (regret - rival_regret) / chance; }  ///< behind the rival, as a share of chance
};

/// A row per world in which the default, chance and a rival have runs, the largest gap first.
std::vector<SuiteRow> suite_rows(const Summary& summary);

}  // namespace neuralts
