#include "report/report_data.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace neuralts {

namespace {

using nlohmann::json;

constexpr double confidence = 1 - test_level;

/// Five digits draw any chart and keep the page small.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10., 4 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

bool shows(double value, bool log_axis) { return std::isfinite(value) && (!log_axis || value > 0); }

std::size_t common_checkpoints(const Config& config) {
  const auto& first = config.runs.front()->result.curve_rounds;
  std::size_t common = first.size();
  for (const Record* run : config.runs) {
    const auto& other = run->result.curve_rounds;
    const auto [here, there] = std::mismatch(
        first.begin(), first.begin() + static_cast<std::ptrdiff_t>(std::min(common, other.size())),
        other.begin());
    common = static_cast<std::size_t>(here - first.begin());
  }
  return common;
}

json curves_chart(const Summary& summary, const std::string& world) {
  json chart = {{"kind", "curves"},
                {"title", world},
                {"measure", summary.regret_known(world) ? "regret" : "mean reward"},
                {"series", json::array()}};
  for (const auto& series : summary.series())
    if (const Config* config = summary.best(world, series, summary.base_delay())) {
      const Curve curve = mean_curve(*config, 160);
      json line = {{"name", series}, {"rounds", curve.rounds}, {"mean", curve.mean}};
      if (!curve.low.empty()) line.update({{"low", curve.low}, {"high", curve.high}});
      chart["series"].push_back(std::move(line));
    }
  return chart;
}

json delay_point(const Config& config) {
  const auto& sample = config.regret_known() ? config.regret : config.mean_reward;
  const double half = math::half_width(sample, confidence), mean = sample.mean;
  const double low = config.regret_known() ? std::max(0., mean - half) : mean - half;
  json point = {{"series", config.series}, {"delay", config.delay}, {"mean", rounded(mean)}};
  if (sample.n > 1) point.update({{"low", rounded(low)}, {"high", rounded(mean + half)}});
  return point;
}

/// What the table of delays tells of a world: policies that were run with several.
json delays_chart(const Summary& summary, const std::string& world) {
  json chart = {{"kind", "delays"}, {"title", world}, {"delays", json::array()}, {"points", json::array()},
                {"measure", summary.regret_known(world) ? "final regret" : "mean reward"}};
  std::set<std::string> seen;
  for (const auto& series : summary.series()) {
    std::vector<const Config*> configs;
    for (const auto& delay : summary.delays())
      if (const Config* config = summary.best(world, series, delay)) configs.push_back(config);
    if (configs.size() < 2) continue;
    for (const Config* config : configs) {
      seen.insert(config->delay);
      chart["points"].push_back(delay_point(*config));
    }
  }
  for (const auto& delay : summary.delays())
    if (seen.contains(delay)) chart["delays"].push_back(delay);
  return chart;
}

json times_chart(const Summary& summary, const std::string& world) {
  json chart = {{"kind", "times"}, {"title", world}, {"bars", json::array()}};
  for (const auto& series : summary.series())
    if (const Config* config = summary.best(world, series, summary.base_delay())) {
      double select = 0, learn = 0, rounds = 0;
      for (const Record* run : config->runs) {
        select += run->result.select_seconds;
        learn += run->result.learn_seconds;
        rounds += static_cast<double>(run->result.offered);
      }
      const double ms = 1000 / std::max(1., rounds);
      chart["bars"].push_back(
          {{"series", series}, {"choosing", rounded(select * ms)}, {"learning", rounded(learn * ms)}});
    }
  return chart;
}

}  // namespace

double band_half_width(const std::vector<double>& values) {
  return math::half_width(math::describe(values), confidence);
}

Curve mean_curve(const Config& config, std::size_t most) {
  Curve curve;
  const std::size_t count = common_checkpoints(config),
                    stride = std::max<std::size_t>(1, (count + most - 1) / most);
  const bool regret = config.regret_known();
  for (std::size_t i = 0; i < count; ++i) {
    if ((count - 1 - i) % stride != 0) continue;  // the last checkpoint is always there
    const std::size_t round = config.runs.front()->result.curve_rounds[i];
    std::vector<double> values;
    for (const Record* run : config.runs)
      values.push_back(regret ? run->result.curve_regret[i]
                              : run->result.curve_reward[i] /
                                    static_cast<double>(std::max<std::size_t>(1, round)));
    const auto sample = math::describe(values);
    const double half = math::half_width(sample, confidence);
    curve.rounds.push_back(round);
    curve.mean.push_back(rounded(sample.mean));
    if (sample.n < 2) continue;
    // No regret is below 0.
    curve.low.push_back(rounded(regret ? std::max(0., sample.mean - half) : sample.mean - half));
    curve.high.push_back(rounded(sample.mean + half));
  }
  return curve;
}

std::string protagonist(const Summary& summary) {
  const auto& all = summary.series();
  const auto own = std::find_if(all.begin(), all.end(),
                                [](const std::string& name) { return name.starts_with("neural-ts"); });
  return own != all.end() ? *own : all.empty() ? "" : all.front();
}

json chart_data(const ReportChart& chart, const std::string& section) {
  json lines = json::array();
  for (const auto& line : chart.lines) {
    json x = json::array(), y = json::array();
    for (std::size_t i = 0; i < line.x.size(); ++i)
      if (shows(line.x[i], chart.log_x) && shows(line.y[i], chart.log_y)) {
        x.push_back(rounded(line.x[i]));
        y.push_back(rounded(line.y[i]));
      }
    lines.push_back({{"name", line.name}, {"dashed", line.dashed}, {"x", x}, {"y", y}});
  }
  return {{"kind", "lines"},    {"title", chart.title}, {"section", section},   {"x", chart.x_label},
          {"y", chart.y_label}, {"log_x", chart.log_x}, {"log_y", chart.log_y}, {"lines", std::move(lines)}};
}

json report_data(const Summary& summary) {
  json charts = json::array();
  const auto add = [&](auto make, const char* filled, std::size_t least) {
    for (const auto& world : summary.worlds())
      if (json chart = make(summary, world); chart[filled].size() >= least) charts.push_back(std::move(chart));
  };
  add(curves_chart, "series", 1);
  if (summary.delays().size() > 1) add(delays_chart, "points", 2);
  add(times_chart, "bars", 1);
  return {{"series", summary.series()}, {"protagonist", protagonist(summary)}, {"charts", charts}};
}

}  // namespace neuralts
