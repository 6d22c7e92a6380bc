// The policies that come with the library, one per file.
#pragma once

#include "neuralts/extend.hpp"

namespace neuralts {

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
