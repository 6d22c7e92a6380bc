// A line chart as SVG text: a few series on linear or logarithmic axes, readable without a script, in the colours of its surroundings.
#pragma once

#include <string>
#include <vector>

namespace neuralts {

struct ChartLine {
  std::string label{};
  std::vector<double> x{}, y{};  ///< of equal length; points that an axis cannot show (not finite, or <= 0 on a log axis) are left out
  bool dashed = false;
};

struct LineChart {
  std::string title{}, x_label{}, y_label{};
  bool log_x = false, log_y = false;
  std::vector<ChartLine> lines{};
};

/// One <svg> element. Text is escaped. A chart without a point to show holds its title and axes only.
std::string to_svg(const LineChart& chart);

}  // namespace neuralts
