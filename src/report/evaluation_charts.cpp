#include "report/evaluation_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/svg_plot.hpp"

namespace neuralts {

namespace {

double finite(double value, double otherwise) { return std::isfinite(value) ? value : otherwise; }

/// A little more than what the values need.
SvgPlot::Axis covering(const std::string& label, double low, double high) {
  const double margin = std::max(1e-9, 0.04 * (high - low));
  return {label, low - margin, high + margin};
}

std::string weight_label(double high) {
  if (high == 0) return "0";
  if (std::isinf(high)) return "more";
  return high < 1 ? fmt::format("1/{:.0f}", 1 / high) : fmt::format("{:.0f}", high);
}

}  // namespace

std::string value_chart(const Evaluation& evaluation, double width) {
  double low = HUGE_VAL, high = -HUGE_VAL, rows = 0;
  std::vector<std::pair<double, std::string>> marks;
  for (const auto& policy : evaluation.policies)
    for (const auto& e : policy.estimates) {
      low = std::min({low, e.value, finite(e.low, e.value)});
      high = std::max({high, e.value, finite(e.high, e.value)});
      marks.emplace_back(-rows++, policy.policy + ", " + e.estimator);
    }
  SvgPlot plot("Value of each policy", covering("reward per decision", low, high),
               {"", 0.5 - rows, 0.5, marks}, std::min(760.0, width), 100 + 24 * rows);
  double row = 0;
  for (std::size_t p = 0; p < evaluation.policies.size(); ++p)
    for (const auto& e : evaluation.policies[p].estimates) {
      plot.whisker(finite(e.low, low), finite(e.high, high), -row, p);
      plot.point(e.value, -row, p, fmt::format("{:.5g} [{:.5g}, {:.5g}] {}", e.value, e.low, e.high, e.interval));
      row += 1;
    }
  return plot.text();
}

std::string course_chart(const Evaluation& evaluation, double width) {
  double low = HUGE_VAL, high = -HUGE_VAL, last = 0;
  std::vector<std::string> names;
  for (const auto& policy : evaluation.policies)
    for (const auto& at : policy.course) {
      // The first bands span everything: the axis follows the values and the later bands.
      const bool later = at.events * 5 > policy.course.back().events;
      low = std::min({low, at.value, later ? at.low : at.value});
      high = std::max({high, at.value, later ? at.high : at.value});
      last = std::max(last, static_cast<double>(at.events));
    }
  if (!(last > 0)) return "";
  SvgPlot plot("Value over time", {"events", 0, last}, covering("reward per decision", low, high),
               std::min(760.0, width), 360);
  for (std::size_t p = 0; p < evaluation.policies.size(); ++p) {
    std::vector<double> x, value, from, to;
    for (const auto& at : evaluation.policies[p].course)
      x.push_back(static_cast<double>(at.events)), value.push_back(at.value), from.push_back(at.low),
          to.push_back(at.high);
    plot.band(x, from, to, p);
    plot.line(x, value, p);
    names.push_back(evaluation.policies[p].policy);
  }
  plot.legend(names);
  return plot.text();
}

std::string weights_chart(const PolicyValue& policy, double width) {
  const auto& bins = policy.diagnostics.weights;
  std::size_t first = bins.size(), last = 0;
  double most = 0;
  const double n = std::max<double>(1, static_cast<double>(policy.diagnostics.n));
  for (std::size_t i = 0; i < bins.size(); ++i)
    if (bins[i].events > 0)
      first = std::min(first, i), last = i,
      most = std::max({most, static_cast<double>(bins[i].events) / n, bins[i].share});
  if (first == bins.size()) return "";
  std::vector<std::pair<double, std::string>> marks;
  for (std::size_t i = first; i <= last; ++i)
    marks.emplace_back(static_cast<double>(i) + 0.5, weight_label(bins[i].high));
  SvgPlot plot("Weights of " + policy.policy,
               {"weight up to", static_cast<double>(first), static_cast<double>(last + 1), marks},
               {"share", 0, most * 1.25}, std::min(560.0, width));
  for (std::size_t i = first; i <= last; ++i) {
    const double at = static_cast<double>(i), events = static_cast<double>(bins[i].events) / n;
    plot.bar(at + 0.08, at + 0.5, events, 0, fmt::format("{} events", bins[i].events));
    plot.bar(at + 0.5, at + 0.92, bins[i].share, 1, fmt::format("{:.1f} % of all weight", 100 * bins[i].share));
  }
  plot.legend({"of the events", "of all weight"});
  return plot.text();
}

std::string calibration_chart(const Diagnostics& diagnostics, double width) {
  if (diagnostics.calibration.empty()) return "";
  SvgPlot plot("Are the logged probabilities right?", {"logged probability", 0, 1}, {"share played", 0, 1},
               std::min(420.0, width), 380);
  plot.line({0, 1}, {0, 1}, 5, true);
  for (const auto& bin : diagnostics.calibration)
    plot.point(bin.probability, bin.frequency, std::abs(bin.z) > 3 ? 1 : 0,
               fmt::format("{} actions, {:.4g} logged, {:.4g} played, z = {:.1f}", bin.actions,
                           bin.probability, bin.frequency, bin.z));
  return plot.text();
}

}  // namespace neuralts
