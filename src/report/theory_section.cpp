#include "report/theory_section.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "neuralts/theory.hpp"
#include "report/report_data.hpp"

namespace neuralts {

namespace {

using theory::Analysis;

constexpr const char* what_it_is =
    "What the regret theorem of Neural Thompson Sampling says of these worlds, for one hidden layer, lambda = 1 + 1/T, noise "
    "0.1 and delta = 0.1. The theorem leaves its constants open; with 1 for each the bound is far above what is measured: read "
    "its growth beside sqrt(round), not its size.";
constexpr const char* what_it_asks =
    "The number of units the theorem asks for is a limit of today's proofs; practice does not need it.";

// A report should not wait long for this part: a thousand rounds of disjoint contexts, two thousand contexts
// otherwise.
std::size_t affordable_rounds(const EnvironmentInfo& info, std::size_t rounds) {
  const std::size_t arms = std::max<std::size_t>(info.max_arms, 1);
  return std::min(rounds, info.shape.blocks > 1 ? 1000 : std::max<std::size_t>(1, 2000 / arms));
}

std::vector<double> as_numbers(const std::vector<std::size_t>& counts) { return {counts.begin(), counts.end()}; }

ReportChart spectrum_chart(const std::string& world, const Analysis& a) {
  ReportLine line{"eigenvalues of H", {}, a.spectrum};
  for (std::size_t i = 1; i <= a.spectrum.size(); ++i) line.x.push_back(static_cast<double>(i));
  return {world + ": spectrum of the tangent kernel", "number", "eigenvalue", true, true, {line}};
}

ReportChart dimension_chart(const std::string& world, const Analysis& a) {
  const ReportLine line{"effective dimension", as_numbers(a.curve_rounds), a.curve_dimension};
  return {world + ": effective dimension", "round", "effective dimension", false, false, {line}};
}

ReportChart bound_chart(const std::string& world, const Analysis& a, const Summary& summary) {
  ReportChart chart{world + ": bound and measured regret", "round", "regret", true, true};
  ReportLine root{"sqrt(round)", as_numbers(a.curve_rounds), {}, true};
  for (const double t : root.x) root.y.push_back(std::sqrt(t));
  chart.lines = {{"bound, constants 1", as_numbers(a.curve_rounds), a.curve_bound}, root};
  for (const auto& series : summary.series())
    if (const Config* config = summary.best(world, series, summary.base_delay())) {
      const Curve curve = mean_curve(*config, 160);
      chart.lines.push_back({series, as_numbers(curve.rounds), curve.mean});
    }
  return chart;
}

std::vector<ReportCell> row_of(const std::string& world, const Analysis& a) {
  std::vector<ReportCell> row{{world}, {std::to_string(a.rounds)}};
  for (const double value : {a.effective_dimension, a.lambda_0, a.log_det, a.B, a.nu, a.bound})
    row.push_back({fmt::format("{:.4g}", value)});
  return row;
}

const Config& first_of(const Summary& summary, const std::string& world) {
  return *std::find_if(summary.configs().begin(), summary.configs().end(),
                       [&](const Config& config) { return config.world == world; });
}

std::shared_ptr<const Environment> world_of(const std::string& name, const ReportOptions& options) {
  const auto given = options.worlds.find(name);
  return given != options.worlds.end() ? given->second : make_environment(name, options.data_dir);
}

void add_world(const std::string& world, const Summary& summary, const ReportOptions& options,
               ReportSection& section) try {
  const Config& config = first_of(summary, world);
  const auto env = world_of(config.spec.env, options);
  const std::size_t rounds = affordable_rounds(env->info(), config.rounds());
  const auto analysis = theory::analyse(*env, {.rounds = rounds, .seed = config.spec.seed});
  section.tables.front().rows.push_back(row_of(world, analysis));
  section.charts.push_back(spectrum_chart(world, analysis));
  section.charts.push_back(dimension_chart(world, analysis));
  section.charts.push_back(bound_chart(world, analysis, summary));
} catch (const Error& error) {  // a report of another machine's runs, whose data set is not here
  section.paragraphs.push_back("Nothing is said of " + world + ": " + error.what() + ".");
}

}  // namespace

std::optional<ReportSection> theory_section(const Summary& summary, const ReportOptions& options) {
  ReportSection section{.id = "theory", .title = "Theory", .paragraphs = {what_it_is, what_it_asks}};
  section.tables = {{.id = "theory",
                     .title = "The theorem's numbers",
                     .note = "H is the tangent kernel matrix of all arms' contexts.",
                     .columns = {"world", "rounds", "effective dimension", "smallest eigenvalue", "log det",
                                 "B", "nu", "bound"}}};
  for (const auto& world : summary.worlds()) {
    if (!summary.regret_known(world)) continue;  // a log has no reward function to speak of
    if (options.progress) options.progress("theory of " + world);
    add_world(world, summary, options, section);
  }
  if (section.tables.front().rows.empty()) return std::nullopt;
  return section;
}

}  // namespace neuralts
