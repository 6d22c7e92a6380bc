#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "arguments.hpp"
#include "base/file.hpp"
#include "report/report_page.hpp"
#include "neuralts/tangent.hpp"
#include "neuralts/theory.hpp"
#include "theory_checks.hpp"

namespace neuralts::cli {

namespace {

struct Flags {
  std::string env = "cosine", data, plot;
  theory::GapOptions options;
  bool json = false;
};

ReportChart chart_of(const std::vector<theory::Gap>& gaps) {
  ReportLine published{"published start, to its limit H~", {}, {}},
      paper{"last layer's variance 1/m, to H", {}, {}};
  ReportLine apart{"published start, to H", {}, {}, true};
  for (const auto& gap : gaps) {
    const double units = static_cast<double>(gap.units);
    for (auto* line : {&published, &paper, &apart}) line->x.push_back(units);
    published.y.push_back(gap.published.value);
    paper.y.push_back(gap.paper.value);
    apart.y.push_back(gap.published_to_paper.value);
  }
  return {"relative distance", "units m", "||G - H|| / ||H||", true, true, {published, paper, apart}};
}

constexpr const char* limits =
    "The published start (last layer's variance 2/m) tends to H~(L); the paper's H = (H~ + Sigma)/2 is the limit for variance "
    "1/m.";

void write_page(const std::string& path, const std::vector<theory::Gap>& gaps, const std::string& env) {
  const std::string page = charts_html("Tangent Gram matrix against its kernel: " + env, limits, {chart_of(gaps)});
  write_file(path, std::span<const char>(page));
}

using Slope = std::optional<theory::Slope>;

/// One number of units has no slope.
Slope slope_of(const std::vector<theory::Gap>& gaps, theory::Distance theory::Gap::*which) {
  if (gaps.size() < 2) return std::nullopt;
  return theory::fit_slope(gaps, which);
}

nlohmann::json json_of(double value, double error) {
  return {{"value", value}, {"error", error > 0 ? nlohmann::json(error) : nlohmann::json()}};
}
nlohmann::json to_json(const theory::Distance& distance) { return json_of(distance.value, distance.error); }
nlohmann::json to_json(const Slope& slope) {
  return slope ? json_of(slope->value, slope->error) : nlohmann::json();
}

void print_json(const std::string& env, const std::vector<theory::Gap>& gaps, const Slope& published,
                const Slope& paper) {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& gap : gaps)
    rows.push_back({{"units", gap.units},
                    {"published", to_json(gap.published)},
                    {"paper", to_json(gap.paper)},
                    {"published_to_paper", to_json(gap.published_to_paper)}});
  const nlohmann::json object = {{"env", env},
                                 {"gaps", rows},
                                 {"slope", {{"published", to_json(published)}, {"paper", to_json(paper)}}}};
  fmt::print("{}\n", object.dump());
}

std::string slope_text(const Slope& slope) {
  if (!slope) return "-";
  return slope->error > 0 ? fmt::format("{:.3f} +- {:.3f}", slope->value, slope->error)
                          : fmt::format("{:.3f}", slope->value);
}

void print_table(const std::vector<theory::Gap>& gaps, const Slope& published, const Slope& paper) {
  fmt::print("relative distance of the tangent Gram matrix at initialisation\n");
  fmt::print("  {:>8} {:>18} {:>18} {:>18}\n", "units", "published to H~", "variance 1/m to H", "published to H");
  for (const auto& gap : gaps)
    fmt::print("  {:>8} {:>18.4f} {:>18.4f} {:>18.4f}\n", gap.units, gap.published.value, gap.paper.value,
               gap.published_to_paper.value);
  fmt::print("  {:>8} {:>18} {:>18}\n", "slope", slope_text(published), slope_text(paper));
  fmt::print("\n{}\n", limits);
}

void execute(const Flags& flags) {
  if (!flags.plot.empty() && !flags.plot.ends_with(".html"))
    throw Error(ErrorCode::bad_spec, flags.plot, "the curves are written as a page",
                "name it .html; the page saves SVG and PNG");
  const auto env = make_environment(flags.env, flags.data);
  const auto gram = [&](std::span<const Slice> contexts, std::size_t units, std::uint64_t seed,
                        double variance) {
    return initial_tangent_gram(contexts, {.shape = env->info().shape,
                                           .units = units,
                                           .depth = flags.options.depth,
                                           .seed = seed,
                                           .output_variance = variance});
  };
  const auto gaps = theory::kernel_gap(
      *env, flags.options, gram, [](const std::string& stage) { fmt::print(stderr, "{} ...\n", stage); });
  if (!flags.plot.empty()) write_page(flags.plot, gaps, flags.env);
  const Slope published = slope_of(gaps, &theory::Gap::published), paper = slope_of(gaps, &theory::Gap::paper);
  if (flags.json) print_json(flags.env, gaps, published, paper);
  else print_table(gaps, published, paper);
}

}  // namespace

void add_theory_gap(CLI::App& theory) {
  auto flags = std::make_shared<Flags>();
  auto* command = theory.add_subcommand("gap", "how far ever wider networks are from their tangent kernel");
  command->add_option("--env", flags->env, "the world whose contexts are taken")->capture_default_str();
  command->add_option("--data", flags->data, "where data sets are");
  command->add_option("--units", flags->options.unit_counts, "even numbers of units, 32,64,...")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--depth", flags->options.depth, "L, weight matrices of the network")
      ->capture_default_str()
      ->check(at_least_one);
  command->add_option("--contexts", flags->options.contexts, "how many contexts")
      ->capture_default_str()
      ->check(at_least_one);
  command->add_option("--repeats", flags->options.repeats, "initialisations per number of units")
      ->capture_default_str()
      ->check(at_least_one);
  command->add_option("--seed", flags->options.seed, "of contexts and initialisations")->capture_default_str();
  command->add_option("--plot", flags->plot, "write the curves as a page (.html), which saves them as SVG or PNG");
  command->add_flag("--json", flags->json, "one JSON object on standard output");
  command->callback([flags] { execute(*flags); });
}

}  // namespace neuralts::cli
