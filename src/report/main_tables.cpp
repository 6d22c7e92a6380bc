// The tables people come for: final regret, win/tie/loss, delay, run time.
#include <fmt/format.h>

#include "lab/published.hpp"
#include "report/report_tables.hpp"

namespace neuralts {

namespace {

std::string spread(const math::Sample& sample) {
  return sample.n < 2 ? fmt::format("{:.1f}", sample.mean) : fmt::format("{:.1f} ± {:.1f}", sample.mean, sample.sd);
}

const Published* published_of(const Config& config) {
  return config.delay == "0" ? published(config.spec.policy.name, config.spec.env) : nullptr;
}

std::vector<const Config*> bests(const Summary& summary, const std::string& world) {
  std::vector<const Config*> configs;
  for (const auto& series : summary.series())
    if (const Config* config = summary.best(world, series, summary.base_delay())) configs.push_back(config);
  return configs;
}

std::vector<std::string> headed(const std::string& first, const std::vector<std::string>& rest) {
  std::vector<std::string> columns{first};
  columns.insert(columns.end(), rest.begin(), rest.end());
  return columns;
}

/// A table of series x worlds whose cells are made by `cell(config, the world's other configs)`; "-" where nothing was run.
template <class Cell>
ReportTable series_by_world(const Summary& summary, ReportTable table, Cell cell) {
  table.columns = headed("policy", summary.worlds());
  for (const auto& series : summary.series()) {
    auto& row = table.rows.emplace_back(std::vector<ReportCell>{{series}});
    for (const auto& world : summary.worlds()) {
      const Config* config = summary.best(world, series, summary.base_delay());
      row.push_back(config != nullptr ? cell(*config, bests(summary, world)) : ReportCell{"-"});
    }
  }
  return table;
}

ReportTable regret_table(const Summary& summary) {
  ReportTable table{.id = "regret",
                    .title = "Final regret",
                    .note = "Mean ± standard deviation over seeds. The best of a column is marked.",
                    .columns = {}};
  table = series_by_world(summary, table, [](const Config& config, const std::vector<const Config*>& all) {
    ReportCell cell{spread(config.regret)};
    if (const auto* paper = published_of(config)) cell.note = fmt::format("{:.1f} ± {:.1f}", paper->mean, paper->sd);
    cell.strong = all.size() > 1;
    for (const Config* other : all) cell.strong = cell.strong && config.regret.mean <= other->regret.mean;
    return cell;
  });
  const auto facts = [&](const std::string& name, auto fact) {
    auto& row = table.rows.emplace_back(std::vector<ReportCell>{{name}});
    for (const auto& world : summary.worlds()) {
      const auto all = bests(summary, world);
      row.push_back({all.empty() ? "-" : fact(*all.front())});
    }
  };
  facts("rounds", [](const Config& config) { return std::to_string(config.rounds()); });
  facts("seeds", [](const Config& config) { return std::to_string(config.regret.n); });
  return table;
}

ReportTable standing_table(const Summary& summary) {
  const ReportTable table{
      .id = "standing",
      .title = "Wins, ties, losses",
      .note = "How often a policy is significantly better than, equal to, or worse than each other one (Welch's t-test at 90 %).",
      .columns = {}};
  return series_by_world(summary, table, [](const Config& config, const std::vector<const Config*>& all) {
    const Standing result = standing(config, all);
    const auto* paper = published_of(config);
    return ReportCell{fmt::format("{}/{}/{}", result.wins, result.ties, result.losses), paper != nullptr ? paper->standing : ""};
  });
}

ReportTable time_table(const Summary& summary) {
  const ReportTable table{.id = "time", .title = "Run time", .note = "Mean seconds a run spends choosing and learning.", .columns = {}};
  return series_by_world(summary, table, [](const Config& config, const std::vector<const Config*>&) {
    return ReportCell{fmt::format("{:.3g}", config.seconds.mean)};
  });
}

ReportTable delay_table(const Summary& summary) {
  ReportTable table{.id = "delay",
                    .title = "Regret against delay",
                    .note = "Mean ± standard deviation over seeds, by when rewards arrive.",
                    .columns = headed("world", headed("policy", summary.delays()))};
  for (const auto& world : summary.worlds())
    for (const auto& series : summary.series()) {
      std::vector<ReportCell> row{{world}, {series}};
      std::size_t known = 0;
      for (const auto& delay : summary.delays()) {
        const Config* config = summary.best(world, series, delay);
        known += config != nullptr ? 1 : 0;
        row.push_back({config != nullptr ? spread(config->regret) : "-"});
      }
      if (known > 1) table.rows.push_back(std::move(row));
    }
  return table;
}

/// Says what the small figures are, where there are any.
void explain_notes(ReportTable& table) {
  for (const auto& row : table.rows)
    for (const auto& cell : row)
      if (!cell.note.empty()) {
        table.note += " Small or in brackets: the published figure, of 20 runs over 10,000 rounds (mushroom 8,124).";
        return;
      }
}

}  // namespace

std::vector<ReportTable> main_tables(const Summary& summary) {
  std::vector<ReportTable> tables{regret_table(summary)};
  if (summary.series().size() > 1) tables.push_back(standing_table(summary));
  if (auto delay = delay_table(summary); !delay.rows.empty()) tables.push_back(std::move(delay));
  tables.push_back(time_table(summary));
  for (auto& table : tables) explain_notes(table);
  return tables;
}

}  // namespace neuralts
