#include "lab/comparison.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

namespace neuralts {

namespace {

using Name = std::tuple<std::string, std::string, std::string>;  // world, policy, delay

std::string describe_policy(const Config& config) {
  const PolicySpec& policy = config.spec.policy;
  std::string text = policy.name;
  if (!policy.preset.empty()) text += ' ' + policy.preset;
  if (!policy.params.empty()) text += ' ' + to_string(policy.params);
  return text;
}

std::string describe_world(const Config& config) {
  return config.spec.rounds == 0 ? config.spec.env
                                 : fmt::format("{}, {} rounds", config.spec.env, config.spec.rounds);
}

bool better(const Config& a, const Config& b) {
  return a.loss.n != b.loss.n ? a.loss.n > b.loss.n : a.loss.mean < b.loss.mean;
}

std::map<Name, const Config*> named(const Summary& summary, CompareBy by) {
  std::map<Name, const Config*> all;
  for (const auto& config : summary.configs()) {
    const std::string policy = by == CompareBy::config ? describe_policy(config) : config.spec.policy.name;
    const auto [place, fresh] = all.try_emplace({describe_world(config), policy, config.delay}, &config);
    if (!fresh && better(config, *place->second)) place->second = &config;
  }
  return all;
}

std::string text_of(const Name& name) {
  return fmt::format("{}: {}, delay {}", std::get<0>(name), std::get<1>(name), std::get<2>(name));
}

/// "nu 0.1 -> 0.01, lambda 1 -> 2": what was in force, not what was given.
std::string differences(const Config& a, const Config& b) {
  const Params &in_a = a.runs.front()->result.resolved, &in_b = b.runs.front()->result.resolved;
  Params both = in_a;
  both.insert(in_b.begin(), in_b.end());
  std::string text;
  const auto value = [](const Params& params, const std::string& key) {
    return params.contains(key) ? params.at(key) : std::string("-");
  };
  for (const auto& [key, ignored] : both)
    if (value(in_a, key) != value(in_b, key))
      text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", key, value(in_a, key), value(in_b, key));
  return text;
}

ComparisonRow row_of(const Name& name, const Config& a, const Config& b) {
  const Pairs pairs = shared_seeds(b, a);
  const auto test = pairs.a.size() >= 2 ? math::paired_test(pairs.a, pairs.b) : math::welch_test(b.loss, a.loss);
  return {std::get<0>(name), std::get<1>(name), std::get<2>(name), a.loss, b.loss, test,
          differences(a, b), pairs.a.size()};
}

std::string verdict(const ComparisonRow& row) {
  if (!row.test.made()) return "not tested: two seeds at least are needed";
  if (row.test.difference == 0 && row.test.p == 1) return "the same";
  if (!row.significant()) return "not distinguishable";
  return row.test.difference < 0 ? "better" : "worse";
}

}  // namespace

Comparison compare(const Summary& a, const Summary& b, CompareBy by) {
  Comparison comparison;
  const auto in_a = named(a, by), in_b = named(b, by);
  for (const auto& [name, config] : in_a)
    if (const auto other = in_b.find(name); other != in_b.end())
      comparison.rows.push_back(row_of(name, *config, *other->second));
    else
      comparison.only_a.push_back(text_of(name));
  for (const auto& [name, config] : in_b)
    if (!in_a.contains(name)) comparison.only_b.push_back(text_of(name));
  return comparison;
}

namespace {

/// One seed has no spread.
std::string sample_text(const math::Sample& sample) {
  return sample.n < 2 ? fmt::format("{:.4g}", sample.mean) : fmt::format("{:.4g} ± {:.3g}", sample.mean, sample.sd);
}

std::string test_text(const ComparisonRow& row) {
  if (!row.test.made()) return "-";
  return row.pairs >= 2 ? fmt::format("paired, {} seeds", row.pairs)
                        : fmt::format("Welch, {} + {}", row.a.n, row.b.n);
}

}  // namespace

ReportTable comparison_table(const Comparison& comparison) {
  ReportTable table{
      .id = "comparison",
      .title = "A against B",
      .note =
          "Final regret (of a replayed log the mean reward with its sign turned), mean ± standard deviation "
          "over seeds; tests at 90 %. "
          "\"Not distinguishable\" says that these seeds cannot tell the two apart, not that they are equal.",
      .columns = {"world", "policy", "delay", "A", "B", "B - A", "p", "test", "differs in", "B is"}};
  for (const auto& row : comparison.rows)
    table.rows.push_back({{row.world},
                          {row.policy},
                          {row.delay},
                          {sample_text(row.a)},
                          {sample_text(row.b)},
                          {fmt::format("{:+.4g}", row.test.difference)},
                          {row.test.made() ? fmt::format("{:.4f}", row.test.p) : "-"},
                          {test_text(row)},
                          {row.differs.empty() ? "-" : row.differs},
                          {verdict(row)}});
  return table;
}

}  // namespace neuralts
