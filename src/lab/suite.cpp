#include "lab/suite.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/text.hpp"
#include "lab/published.hpp"

namespace neuralts {

namespace {

constexpr const char* protagonist = "neural-ts";
const std::vector<std::string> fixed_nu{"0", "0.05", "0.2", "0.5", "1", "3"};
const std::vector<std::string> rivals{"linear-ucb", "linear-ts",     "kernel-ucb",
                                      "kernel-ts",  "neural-linear", "neural-greedy"};

struct World {
  std::string env;
  std::size_t rounds = 0;  // 0: its own
};

std::vector<World> suite_worlds(bool quick) {
  std::vector<World> worlds;
  if (!quick)
    for (const auto& env : published_envs()) worlds.push_back({env});
  for (const char* env : {"linear", "quadratic", "cosine", "gram", "sleeping", "wheel", "clusters", "actions",
                          "actions:form=blocks", "clicks", "clicks:form=columns", "plain", "plain:form=columns", "risky",
                          "segments", "segments:dim=1,arms=10", "codes", "codes:unknown=0.1", "doses",
                          "doses:form=blocks", "items", "nominal", "drifting", "appearing",
                          // mostly noise, wild noise, a level that swings, rare rewards
                          "linear:noise=1", "sleeping:noise=1", "linear:tails=2.5", "sleeping:swing=0.5", "clicks:odds=-4"})
    worlds.push_back({env});
  worlds.push_back({"nominal:columns=35,classes=19,onehot=false", 700});
  return worlds;
}

/// What is asked for by a name that the suite does not have would not be run, and nobody would be told.
void check_names(const std::string& what, const std::vector<std::string>& asked, const std::vector<std::string>& known) {
  for (const auto& name : asked)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Error(ErrorCode::bad_spec, "reproduce suite", "unknown " + what + " '" + name + "'", suggest(name, known));
}

bool wanted(const std::string& name, const std::vector<std::string>& list) {
  return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

Experiment suite_experiment(const Reproduction& reproduction) {
  std::vector<std::string> policies{protagonist, "random"};
  policies.insert(policies.end(), rivals.begin(), rivals.end());
  const auto worlds = suite_worlds(reproduction.quick);
  std::vector<std::string> names;
  for (const World& world : worlds) names.push_back(world.env);
  check_names("world", reproduction.envs, names);
  check_names("policy", reproduction.policies, policies);
  std::erase_if(policies, [&](const std::string& name) { return !wanted(name, reproduction.policies); });
  std::vector<std::uint64_t> seeds(reproduction.seeds > 0 ? reproduction.seeds : reproduction.quick ? 2 : 8);
  std::iota(seeds.begin(), seeds.end(), 1001);
  Experiment experiment;
  for (const World& world : worlds) {
    if (!wanted(world.env, reproduction.envs)) continue;
    Grid grid{.envs = {world.env}, .policies = policies};
    grid.seeds = seeds;
    grid.rounds = reproduction.rounds > 0 ? reproduction.rounds : world.rounds;
    grid.device = reproduction.device;
    experiment.grids.push_back(grid);
    if (!wanted(protagonist, reproduction.policies)) continue;
    grid.policies = {protagonist};
    grid.set = {{"nu", fixed_nu}};
    experiment.grids.push_back(std::move(grid));
  }
  return experiment;
}

namespace {

const Config* better(const Config* a, const Config& b) {
  return a == nullptr || b.regret.mean < a->regret.mean ? &b : a;
}

// Who stands where in one world.
struct Standings {
  const Config *own = nullptr, *chance = nullptr, *rival = nullptr, *fixed = nullptr;
};

Standings standings(const Summary& summary, const std::string& world) {
  Standings out;
  for (const Config& config : summary.configs()) {
    if (config.world != world || config.delay != summary.base_delay()) continue;
    const std::string& name = config.spec.policy.name;
    const Params& params = config.spec.policy.params;
    if (name == "random") out.chance = &config;
    if (name == protagonist && params.empty()) out.own = &config;
    if (name == protagonist && params.size() == 1 && params.begin()->first == "nu")
      out.fixed = better(out.fixed, config);
    if (std::find(rivals.begin(), rivals.end(), name) != rivals.end()) out.rival = better(out.rival, config);
  }
  return out;
}

// A seed is the same world for both.
double error_of_gap(const Config& own, const Config& other, double chance) {
  Pairs pairs = shared_seeds(own, other);
  std::transform(pairs.a.begin(), pairs.a.end(), pairs.b.begin(), pairs.a.begin(), std::minus<>());
  return math::describe(pairs.a).se / chance;
}

}  // namespace

std::vector<SuiteRow> suite_rows(const Summary& summary) {
  std::vector<SuiteRow> rows;
  for (const auto& world : summary.worlds()) {
    const auto [own, chance, rival, fixed] = standings(summary, world);
    if (own == nullptr || chance == nullptr || rival == nullptr) continue;
    SuiteRow row{.world = world, .rival = rival->series, .nu = "", .chance = chance->regret.mean, .regret = own->regret.mean,
                 .rival_regret = rival->regret.mean, .seeds = own->runs.size()};
    row.gap_error = error_of_gap(*own, *rival, row.chance);
    if (fixed != nullptr) {
      row.nu = fixed->spec.policy.params.begin()->second;
      row.fixed_regret = fixed->regret.mean;
      row.fixed_gap_error = error_of_gap(*own, *fixed, row.chance);
    }
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const SuiteRow& a, const SuiteRow& b) { return a.gap() > b.gap(); });
  return rows;
}

}  // namespace neuralts
