#include "lab/suite.hpp"

#include <algorithm>
#include <numeric>

#include "lab/published.hpp"

namespace neuralts {

namespace {

constexpr const char* protagonist = "neural-ts";
const std::vector<std::string> rivals{"linear-ucb", "linear-ts", "kernel-ucb", "kernel-ts", "neural-linear", "neural-greedy"};

struct World {
  std::string env;
  std::size_t rounds = 0;  // 0: its own
};

std::vector<World> suite_worlds() {
  std::vector<World> worlds;
  for (const auto& env : published_envs()) worlds.push_back({env});
  for (const char* env : {"linear", "quadratic", "cosine", "gram", "sleeping", "wheel", "clusters", "actions", "actions:form=blocks",
                          "clicks", "plain", "risky", "nominal"})
    worlds.push_back({env});
  worlds.push_back({"nominal:columns=35,classes=19,onehot=false", 700});
  return worlds;
}

bool wanted(const std::string& name, const std::vector<std::string>& list) {
  return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

Experiment suite_experiment(const Reproduction& reproduction) {
  std::vector<std::string> policies{protagonist, "random"};
  policies.insert(policies.end(), rivals.begin(), rivals.end());
  std::erase_if(policies, [&](const std::string& name) { return !wanted(name, reproduction.policies); });
  std::vector<std::uint64_t> seeds(reproduction.seeds > 0 ? reproduction.seeds : 8);
  std::iota(seeds.begin(), seeds.end(), 1001);
  Experiment experiment;
  for (const World& world : suite_worlds()) {
    if (!wanted(world.env, reproduction.envs)) continue;
    Grid grid{.envs = {world.env}, .policies = policies};
    grid.seeds = seeds;
    grid.rounds = reproduction.rounds > 0 ? reproduction.rounds : world.rounds;
    grid.device = reproduction.device;
    experiment.grids.push_back(std::move(grid));
  }
  return experiment;
}

std::vector<SuiteRow> suite_rows(const Summary& summary) {
  std::vector<SuiteRow> rows;
  for (const auto& world : summary.worlds()) {
    const auto found = [&](const std::string& policy) { return summary.best(world, policy, summary.base_delay()); };
    const Config *own = found(protagonist), *chance = found("random"), *best = nullptr;
    for (const auto& name : rivals)
      if (const Config* rival = found(name); rival != nullptr && (best == nullptr || rival->regret.mean < best->regret.mean)) best = rival;
    if (own == nullptr || chance == nullptr || best == nullptr) continue;
    rows.push_back({world, best->series, chance->regret.mean, own->regret.mean, best->regret.mean, own->runs.size()});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const SuiteRow& a, const SuiteRow& b) { return a.gap() > b.gap(); });
  return rows;
}

}  // namespace neuralts
