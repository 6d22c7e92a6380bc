// What the report's charts show, as JSON for the page's script.
#pragma once

#include <nlohmann/json.hpp>

#include "lab/summary.hpp"

namespace neuralts {

/// {"series": [names], "charts": [{"kind": "curves" | "delays" | "times", "world", ...}]}
nlohmann::json report_data(const Summary& summary);

/// Mean regret of a configuration's runs at up to `most` common checkpoints, with the confidence band of the mean.
struct Curve {
  std::vector<std::size_t> rounds;
  std::vector<double> mean, low, high;
};
Curve mean_curve(const Config& config, std::size_t most);

}  // namespace neuralts
