// The tables people come for: final regret, win/tie/loss, delay, run time.
#include <fmt/format.h>

#include <algorithm>

#include "lab/published.hpp"
#include "report/report_tables.hpp"

namespace neuralts {

namespace {

std::string spread(const math::Sample& sample) {
  return sample.n < 2 ? fmt::format("{:.1f}", sample.mean) : fmt::format("{:.1f} ± {:.1f}", sample.mean, sample.sd);
}

/// The published wins, ties and losses of a policy are against so many others.
constexpr int published_rivals = 7;

/// Where rewards come at once and the horizon is the published one: figures of other horizons are no comparison.
const Published* published_of(const Config& config) {
  if (config.delay != "0" || config.rounds() != published_rounds(config.spec.env)) return nullptr;
  return published(config.spec.policy.name, config.spec.env);
}

bool differs_from_published(const Config& config) {
  return published(config.spec.policy.name, config.spec.env) != nullptr &&
         config.rounds() != published_rounds(config.spec.env);
}

std::vector<std::string> worlds_where(const Summary& summary, bool regret_known) {
  std::vector<std::string> worlds;
  for (const auto& world : summary.worlds())
    if (summary.regret_known(world) == regret_known) worlds.push_back(world);
  return worlds;
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

/// A table of series x worlds whose cells are made by `cell(config, the world's other configs)`; "-" where
/// nothing was run.
template <class Cell>
ReportTable series_by_world(const Summary& summary, const std::vector<std::string>& worlds, ReportTable table,
                            Cell cell) {
  table.columns = headed("policy", worlds);
  for (const auto& series : summary.series()) {
    auto& row = table.rows.emplace_back(std::vector<ReportCell>{{series}});
    for (const auto& world : worlds) {
      const Config* config = summary.best(world, series, summary.base_delay());
      row.push_back(config != nullptr ? cell(*config, bests(summary, world)) : ReportCell{"-"});
    }
  }
  return table;
}

bool is_best(const Config& config, const std::vector<const Config*>& all) {
  return all.size() > 1 && std::all_of(all.begin(), all.end(), [&](const Config* other) {
           return config.loss.mean <= other->loss.mean;
         });
}

template <class Fact>
void add_facts(ReportTable& table, const Summary& summary, const std::vector<std::string>& worlds,
               const std::string& name, Fact fact) {
  auto& row = table.rows.emplace_back(std::vector<ReportCell>{{name}});
  for (const auto& world : worlds) {
    const auto all = bests(summary, world);
    row.push_back({all.empty() ? "-" : fact(*all.front())});
  }
}

ReportTable regret_table(const Summary& summary) {
  const auto worlds = worlds_where(summary, true);
  ReportTable table{.id = "regret",
                    .title = "Final regret",
                    .note =
                        "Mean ± standard deviation over seeds. The least mean of a column is marked; whether "
                        "it is significantly less, the next tables say.",
                    .columns = {},
                    .notes_called = "published"};
  table = series_by_world(summary, worlds, table, [](const Config& config, const std::vector<const Config*>& all) {
    ReportCell cell{spread(config.regret)};
    if (const auto* paper = published_of(config))
      cell.note = fmt::format("{:.1f} ± {:.1f}", paper->mean, paper->sd);
    cell.strong = is_best(config, all);
    return cell;
  });
  add_facts(table, summary, worlds, "rounds", [](const Config& config) { return std::to_string(config.rounds()); });
  add_facts(table, summary, worlds, "seeds", [](const Config& config) { return std::to_string(config.regret.n); });
  const auto& configs = summary.configs();
  if (std::any_of(configs.begin(), configs.end(), differs_from_published))
    table.note += " Published figures are of 10,000 rounds (mushroom 8,124) and stand beside runs of as many only.";
  return table;
}

/// A replay cannot know what the best arm would have paid: it tells what was earned where the policy agreed
/// with the log.
ReportTable replay_table(const Summary& summary) {
  const auto worlds = worlds_where(summary, false);
  ReportTable table{.id = "replay",
                    .title = "Mean reward in replayed logs",
                    .note =
                        "A round counts where the policy chooses what the log holds; mean reward of those "
                        "rounds ± standard deviation over seeds, "
                        "and how many counted. Regret is not known.",
                    .columns = {},
                    .notes_called = "counted"};
  table = series_by_world(summary, worlds, table, [](const Config& config, const std::vector<const Config*>& all) {
    const math::Sample& mean = config.mean_reward;
    const RunResult& first = config.runs.front()->result;
    return ReportCell{
        mean.n < 2 ? fmt::format("{:.4f}", mean.mean) : fmt::format("{:.4f} ± {:.4f}", mean.mean, mean.sd),
        fmt::format("{} of {} rounds", first.rounds, first.offered), is_best(config, all)};
  });
  add_facts(table, summary, worlds, "seeds", [](const Config& config) { return std::to_string(config.loss.n); });
  return table;
}

ReportTable standing_table(const Summary& summary) {
  const ReportTable table{.id = "standing",
                          .title = "Wins, ties, losses",
                          .note =
                              "How often a policy is significantly better than, not distinguishable from, or "
                              "significantly worse than each other one "
                              "(Welch's t-test at 90 %). One seed: no test.",
                          .columns = {},
                          .notes_called = "published"};
  return series_by_world(summary, summary.worlds(), table,
                         [](const Config& config, const std::vector<const Config*>& all) {
                           const Standing result = standing(config, all);
                           if (result.tests() == 0) return ReportCell{"-"};
                           const auto* paper = result.tests() == published_rivals ? published_of(config) : nullptr;
                           return ReportCell{fmt::format("{}/{}/{}", result.wins, result.ties, result.losses),
                                             paper != nullptr ? paper->standing : ""};
                         });
}

ReportTable time_table(const Summary& summary) {
  const ReportTable table{.id = "time",
                          .title = "Run time",
                          .note = "Mean milliseconds a round spends choosing and learning.",
                          .columns = {}};
  return series_by_world(summary, summary.worlds(), table,
                         [](const Config& config, const std::vector<const Config*>&) {
                           const auto rounds = static_cast<double>(
                               std::max<std::size_t>(1, config.runs.front()->result.offered));
                           return ReportCell{fmt::format("{:.3g}", 1000 * config.seconds.mean / rounds)};
                         });
}

ReportTable delay_table(const Summary& summary) {
  ReportTable table{.id = "delay",
                    .title = "Regret against delay",
                    .note = "Mean ± standard deviation over seeds, by when rewards arrive; a chart's band is the 90 % confidence "
                            "interval of the mean.",
                    .columns = headed("world", headed("policy", summary.delays()))};
  for (const auto& world : summary.worlds())
    for (const auto& series : summary.series()) {
      std::vector<ReportCell> row{{world}, {series}};
      std::size_t known = 0;
      for (const auto& delay : summary.delays()) {
        const Config* config = summary.best(world, series, delay);
        known += config != nullptr ? 1 : 0;
        row.push_back({config == nullptr        ? "-"
                       : config->regret_known() ? spread(config->regret)
                                                : fmt::format("{:.4f}", config->mean_reward.mean)});
      }
      if (known > 1) table.rows.push_back(std::move(row));
    }
  return table;
}

/// Says what the small figures are, where there are any.
void explain_notes(ReportTable& table) {
  if (table.notes_called != "published") return;
  for (const auto& row : table.rows)
    for (const auto& cell : row)
      if (!cell.note.empty()) {
        table.note +=
            " Small or in brackets: the published figure, of 20 runs over 10,000 rounds (mushroom 8,124).";
        return;
      }
}

}  // namespace

std::vector<ReportTable> main_tables(const Summary& summary) {
  std::vector<ReportTable> tables;
  if (!worlds_where(summary, true).empty()) tables.push_back(regret_table(summary));
  if (!worlds_where(summary, false).empty()) tables.push_back(replay_table(summary));
  if (summary.series().size() > 1) tables.push_back(standing_table(summary));
  if (auto delay = delay_table(summary); !delay.rows.empty()) tables.push_back(std::move(delay));
  if (!summary.configs().empty()) tables.push_back(time_table(summary));
  for (auto& table : tables) explain_notes(table);
  return tables;
}

}  // namespace neuralts
