// What the report's charts show, as JSON for the page's script.
#pragma once

#include <nlohmann/json.hpp>

#include "lab/summary.hpp"

namespace neuralts {

/// {"series": [names], "protagonist": name, "charts": [{"kind": "curves" | "delays" | "times", "title", ...}]}
nlohmann::json report_data(const Summary& summary);
/// {"kind": "lines", "title", "section", "x", "y", "log_x", "log_y", "lines": [{"name", "dashed", "x", "y"}]};
/// `section` tells where the chart stands.
nlohmann::json chart_data(const ReportChart& chart, const std::string& section);

/// Mean regret of a configuration's runs at up to `most` common checkpoints, with the confidence band of the mean;
/// one run has none, and `low` and `high` are empty.
struct Curve {
  std::vector<std::size_t> rounds;
  std::vector<double> mean, low, high;
};
Curve mean_curve(const Config& config, std::size_t most);

/// Who the report is about: the library's own policy where it took part, else the first.
std::string protagonist(const Summary& summary);

}  // namespace neuralts
