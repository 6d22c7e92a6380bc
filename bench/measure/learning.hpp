// A learner beside its models: what publishing costs, what training costs the decisions, what threads bring.
#pragma once

#include <cstddef>

namespace neuralts::bench {

/// Seconds to publish a model after `rounds` learned rounds: diagonal width, d = 20, 100 units.
double publish_seconds(std::size_t rounds, double budget);

/// The 99th percentile of a decision on a published model (ten arms) while the learner trains on another
/// thread, over the same without a training.
double select_p99_ratio(std::size_t rounds, double seconds);

/// The same beside a thread that only multiplies and adds in its registers: what a second busy core costs on
/// this machine whatever it does, and so the least that a training beside decisions can cost.
double busy_core_p99_ratio(double seconds);

/// How many times faster two threads train one history of `rounds` rounds (d = 20, 100 units) than one; wall time.
double two_threads(std::size_t rounds, std::size_t steps);

}  // namespace neuralts::bench
