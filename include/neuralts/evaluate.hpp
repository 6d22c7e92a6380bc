// Judging a policy from a log: what would it have earned, how sure is that, and is the log any good?
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "neuralts/error.hpp"

namespace neuralts {

/// One answer. The first twelve are what `neuralts evaluate --json` prints.
struct Estimate {
  std::string policy, estimator;
  double value = 0, low = 0, high = 0;
  std::string interval;  ///< which kind: student, bootstrap, clopper-pearson, likelihood, cressie-read, bernstein, betting
  double confidence = 0.95;
  std::size_t n = 0;       ///< events behind it
  double ess = 0;          ///< effective sample size (sum w)^2 / sum w^2
  double max_weight = 0;   ///< largest w
  double mean_weight = 0;  ///< mean of w: 1 where the logged probabilities are right and every action is supported
  double unsupported = 0;  ///< mean probability that the policy gives to actions the log never plays
  double error = 0;        ///< standard error, where there is one
  double constant = std::numeric_limits<double>::infinity();  ///< of estimators that hold weights down: as chosen
};

/// Weights from `low` (not included) to `high` (included); the first bin holds the zeros.
struct WeightBin {
  double low = 0, high = 0;
  std::size_t events = 0;
  double share = 0;  ///< of the sum of all weights
};

/// Actions whose logged probability lay in this bin: how often they should have been played, and how often they were.
struct CalibrationBin {
  double low = 0, high = 0;
  std::size_t actions = 0;
  double probability = 0, frequency = 0;
  double z = 0;  ///< the difference in standard deviations
};

/// Is the log any good for this policy?
struct Diagnostics {
  std::size_t n = 0, open = 0;  ///< events with a reward, and without (yet)
  double ess = 0, max_weight = 0, mean_weight = 0, unsupported = 0;
  double unsupported_events = 0;  ///< share of events where the policy may play what the log never does
  /// How likely a mean weight so far from 1 (less what is unsupported) would be if the logged probabilities were right. Valid for heavy
  /// weights and for logs of learning policies: a betting test.
  double mean_weight_p = 1;
  std::vector<WeightBin> weights{};
  std::vector<CalibrationBin> calibration{};  ///< empty where the log holds the played action's probability only
  double calibration_p = 1;
};

/// What should keep a reader from believing the answer, in words; empty when nothing does.
std::vector<std::string> doubts(const Diagnostics& diagnostics);

}  // namespace neuralts
