// How a policy makes itself known: one file with an entry, one line in factory.cpp.
#pragma once

#include <memory>

#include "base/param_table.hpp"
#include "neuralts/policy.hpp"

namespace neuralts {

struct PolicyEntry {
  PolicyInfo info;
  std::unique_ptr<Policy> (*make)(const PolicySpec& spec, const Settings& settings);
  bool takes_weights = false;  ///< of PolicySpec
};

// One per policy, defined in its file.
PolicyEntry neural_ts_entry();
PolicyEntry neural_ucb_entry();
PolicyEntry neural_linear_entry();
PolicyEntry neural_greedy_entry();
PolicyEntry bootstrap_entry();
PolicyEntry kernel_ts_entry();
PolicyEntry kernel_ucb_entry();
PolicyEntry linear_ts_entry();
PolicyEntry linear_ucb_entry();
PolicyEntry random_entry();

}  // namespace neuralts
