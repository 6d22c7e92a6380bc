// The tables behind the figures: parameters, tests, configurations, runs, failures.
#include <fmt/format.h>

#include "base/text.hpp"
#include "report/report_tables.hpp"

namespace neuralts {

namespace {

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

std::string p_value(const math::TTest& test) {
  if (!test.made()) return "-";
  return test.p < 0.0001 ? "0.0000" : fmt::format("{:.4f}", test.p);
}

std::vector<ReportCell> cells(std::initializer_list<std::string> texts) {
  std::vector<ReportCell> row;
  for (const auto& text : texts) row.push_back({text});
  return row;
}

ReportTable parameter_table(const Summary& summary) {
  ReportTable table{.id = "parameters",
                    .title = "Parameters in force",
                    .note =
                        "Where several configurations were tried, the one with the least mean regret speaks "
                        "for the policy.",
                    .columns = {"world", "policy", "delay", "chosen from", "chosen", "all parameters"}};
  for (const auto& world : summary.worlds())
    for (const auto& series : summary.series())
      for (const auto& delay : summary.delays()) {
        std::size_t tried = 0;
        const Config* config = summary.best(world, series, delay, &tried);
        if (config == nullptr) continue;
        table.rows.push_back(cells({world, series, delay, std::to_string(tried),
                                    or_dash(to_string(config->spec.policy.params)),
                                    or_dash(to_string(config->runs.front()->result.resolved))}));
      }
  return table;
}

void add_test(ReportTable& table, const Config& a, const Config& b) {
  const auto welch = math::welch_test(a.loss, b.loss);
  const Pairs pairs = shared_seeds(a, b);
  const auto paired = math::paired_test(pairs.a, pairs.b);
  table.rows.push_back(
      cells({a.world, a.series, b.series, fmt::format("{:.4g}", welch.difference), p_value(welch),
             std::to_string(pairs.a.size()), p_value(paired)}));
}

ReportTable test_table(const Summary& summary) {
  ReportTable table{
      .id = "tests",
      .title = "Pairwise tests",
      .note =
          "Difference of mean regret, or of the mean reward of replayed logs with its sign turned (negative: "
          "the first is better), two-sided p of Welch's t-test, and of the paired "
          "t-test over shared seeds. One seed: no test.",
      .columns = {"world", "policy", "against", "difference", "p (Welch)", "shared seeds", "p (paired)"}};
  for (const auto& world : summary.worlds())
    for (std::size_t i = 0; i < summary.series().size(); ++i)
      for (std::size_t j = i + 1; j < summary.series().size(); ++j) {
        const Config* a = summary.best(world, summary.series()[i], summary.base_delay());
        const Config* b = summary.best(world, summary.series()[j], summary.base_delay());
        if (a != nullptr && b != nullptr) add_test(table, *a, *b);
      }
  return table;
}

ReportTable config_table(const Summary& summary) {
  ReportTable table{.id = "configurations",
                    .title = "Every configuration",
                    .note = "The interval is the 90 % confidence interval of the mean (Student's t). One seed: no interval.",
                    .columns = {"world", "policy", "given", "delay", "seeds", "rounds", "regret mean", "sd",
                                "se", "90 % low", "90 % high", "reward mean", "seconds"}};
  for (const auto& config : summary.configs()) {
    const auto& regret = config.regret;
    const double half = math::half_width(regret, 1 - test_level);
    const auto told = [&](double value) {
      return config.regret_known() ? fmt::format("{:.2f}", value) : std::string("-");
    };
    const auto spread = [&](double value) { return regret.n < 2 ? std::string("-") : told(value); };
    table.rows.push_back(
        cells({config.world, config.series, or_dash(to_string(config.spec.policy.params)), config.delay,
               std::to_string(regret.n), std::to_string(config.rounds()), told(regret.mean), spread(regret.sd),
               spread(regret.se), spread(regret.mean - half), spread(regret.mean + half),
               fmt::format("{:.2f}", config.reward.mean), fmt::format("{:.3f}", config.seconds.mean)}));
  }
  return table;
}

ReportTable run_table(const Summary& summary) {
  ReportTable table{.id = "runs",
                    .title = "Every run",
                    .columns = {"world", "policy", "given", "delay", "seed", "rounds", "offered", "regret",
                                "reward", "select s", "learn s", "policy bytes"}};
  for (const auto& config : summary.configs())
    for (const Record* run : config.runs) {
      const RunResult& result = run->result;
      table.rows.push_back(
          cells({config.world, config.series, or_dash(to_string(config.spec.policy.params)), config.delay,
                 std::to_string(run->spec.seed), std::to_string(result.rounds),
                 std::to_string(result.offered), result.regret_known ? format_number(result.regret) : "-",
                 format_number(result.reward), fmt::format("{:.3f}", result.select_seconds),
                 fmt::format("{:.3f}", result.learn_seconds), std::to_string(result.policy_bytes)}));
    }
  return table;
}

ReportTable failure_table(const Summary& summary) {
  ReportTable table{.id = "failed",
                    .title = "Failed runs",
                    .columns = {"environment", "policy", "given", "delay", "seed", "why"}};
  for (const Record* run : summary.failed())
    table.rows.push_back(cells({run->spec.env, run->spec.policy.name, or_dash(to_string(run->spec.policy.params)),
                                to_string(run->spec.delay), std::to_string(run->spec.seed), run->error}));
  return table;
}

}  // namespace

std::vector<ReportTable> detail_tables(const Summary& summary) {
  std::vector<ReportTable> tables;
  if (!summary.failed().empty()) tables.push_back(failure_table(summary));
  tables.push_back(parameter_table(summary));
  if (summary.series().size() > 1) tables.push_back(test_table(summary));
  tables.push_back(config_table(summary));
  tables.push_back(run_table(summary));
  return tables;
}

}  // namespace neuralts
