#include "theory_section.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/line_chart.hpp"
#include "report/report_data.hpp"
#include "lab/summary.hpp"
#include "neuralts/theory.hpp"

namespace neuralts::cli {

namespace {

// A report should not wait long for this part: a thousand rounds of disjoint contexts, two thousand contexts otherwise.
std::size_t affordable_rounds(const EnvironmentInfo& info, std::size_t rounds) {
  const std::size_t most = info.shape.blocks > 1 ? 1000 : std::max<std::size_t>(1, 2000 / std::max<std::size_t>(info.max_arms, 1));
  return std::min(rounds, most);
}

std::vector<double> as_numbers(const std::vector<std::size_t>& counts) { return {counts.begin(), counts.end()}; }

std::string spectrum_figure(const std::string& world, const theory::Analysis& a) {
  ChartLine line{"eigenvalues of H", {}, a.spectrum};
  for (std::size_t i = 1; i <= a.spectrum.size(); ++i) line.x.push_back(static_cast<double>(i));
  return to_svg({.title = world + ": spectrum of the tangent kernel", .x_label = "number", .y_label = "eigenvalue", .log_x = true, .log_y = true, .lines = {line}});
}

std::string dimension_figure(const std::string& world, const theory::Analysis& a) {
  const ChartLine line{"effective dimension", as_numbers(a.curve_rounds), a.curve_dimension};
  return to_svg({.title = world + ": effective dimension", .x_label = "round", .y_label = "effective dimension", .lines = {line}});
}

std::string bound_figure(const std::string& world, const theory::Analysis& a, const Summary& summary) {
  LineChart chart{.title = world + ": bound and measured regret", .x_label = "round", .y_label = "regret", .log_x = true, .log_y = true};
  ChartLine root{"sqrt(round)", as_numbers(a.curve_rounds), {}, true};
  for (const double t : root.x) root.y.push_back(std::sqrt(t));
  chart.lines = {{"bound, constants 1", as_numbers(a.curve_rounds), a.curve_bound}, root};
  for (const auto& series : summary.series()) {
    const Config* config = summary.best(world, series, summary.base_delay());
    if (config == nullptr) continue;
    const Curve curve = mean_curve(*config, 200);
    chart.lines.push_back({series, as_numbers(curve.rounds), curve.mean});
  }
  return to_svg(chart);
}

std::vector<ReportCell> row_of(const std::string& world, const theory::Analysis& a) {
  const auto cell = [](double value) { return ReportCell{fmt::format("{:.4g}", value)}; };
  return {ReportCell{world}, ReportCell{std::to_string(a.rounds)}, cell(a.effective_dimension), cell(a.lambda_0), cell(a.log_det), cell(a.B), cell(a.nu), cell(a.bound)};
}

const Config& first_of(const Summary& summary, const std::string& world) {
  return *std::find_if(summary.configs().begin(), summary.configs().end(), [&](const Config& config) { return config.world == world; });
}

void add_world(const std::string& world, const Summary& summary, ReportSection& section) try {
  const Config& config = first_of(summary, world);
  const auto env = make_environment(config.spec.env);
  const auto analysis = theory::analyse(*env, {.rounds = affordable_rounds(env->info(), config.rounds()), .seed = config.spec.seed});
  section.tables.front().rows.push_back(row_of(world, analysis));
  section.paragraphs.push_back(spectrum_figure(world, analysis));
  section.paragraphs.push_back(dimension_figure(world, analysis));
  section.paragraphs.push_back(bound_figure(world, analysis, summary));
} catch (const Error& error) {  // a report of another machine's runs, whose data set is not here
  section.paragraphs.push_back("Nothing is said of " + world + ": " + error.what() + ".");
}

}  // namespace

std::optional<ReportSection> theory_section(const std::vector<Record>& records, const Progress& progress) {
  const Summary summary(records);
  ReportSection section{.id = "theory", .title = "Theory"};
  section.paragraphs = {
      "What the regret theorem of Neural Thompson Sampling says of these worlds, for one hidden layer, lambda = 1 + 1/T, noise 0.1 and delta = 0.1. The theorem "
      "leaves its constants open; with 1 for each the bound is far above what is measured: read its growth beside sqrt(round), not its size.",
      "The number of units the theorem asks for is a limit of today's proofs; practice does not need it."};
  section.tables = {{.id = "theory", .title = "The theorem's numbers", .note = "H is the tangent kernel matrix of all arms' contexts.",
                     .columns = {"world", "rounds", "effective dimension", "smallest eigenvalue", "log det", "B", "nu", "bound"}}};
  for (const auto& world : summary.worlds()) {
    progress("theory of " + world);
    add_world(world, summary, section);
  }
  if (section.tables.front().rows.empty()) return std::nullopt;
  return section;
}

}  // namespace neuralts::cli
