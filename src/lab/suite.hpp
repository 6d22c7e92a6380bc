// The suite: every kind of world that a default must not be weak on, and how far the default lies behind the
// best of its simpler rivals in each.
#pragma once

#include <string>
#include <vector>

#include "lab/reproduction.hpp"

namespace neuralts {

/// The default, its rivals, and the default with fixed exploration (nu) in every world, on seeds 1001, 1002,
/// ... that no setting was chosen on. Of `reproduction`: seeds (0: 8), envs and policies (empty: all), rounds,
/// device, and quick: 2 seeds, without the data sets.
Experiment suite_experiment(const Reproduction& reproduction);

struct SuiteRow {
  /// The best rival, the best fixed nu ("": none was run).
  std::string world, rival, nu;
  /// Means over seeds: of `random`, the default, the rival, that nu.
  double chance = 0, regret = 0, rival_regret = 0, fixed_regret = 0;
  std::size_t seeds = 0;  ///< of the default
  /// Standard errors of the gaps, told by the differences of the seeds both have; 0 where those are fewer than two.
  double gap_error = 0, fixed_gap_error = 0;
  double gap() const { return (regret - rival_regret) / chance; }  ///< behind the rival, as a share of chance
  double fixed_gap() const { return nu.empty() ? 0 : (regret - fixed_regret) / chance; }
};

/// A row per world in which the default, chance and a rival have runs, the largest gap to a rival first.
std::vector<SuiteRow> suite_rows(const Summary& summary);

}  // namespace neuralts
