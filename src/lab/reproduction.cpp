#include "lab/reproduction.hpp"

#include <algorithm>
#include <numeric>

#include "base/text.hpp"
#include "lab/published.hpp"

namespace neuralts {

namespace {

using Values = std::map<std::string, std::vector<std::string>>;

const std::vector<std::string> neural_pair{"neural-ts", "neural-ucb"};
const std::vector<std::string> neural_four{"bootstrap-nn", "neural-greedy", "neural-ucb", "neural-ts"};
const std::vector<std::string> paper_delays{"0", "10", "50", "100", "200", "500", "1000"};
const std::vector<std::string> quick_delays{"0", "10", "50", "100"};

/// What the paper searched. The tuned preset carries its own values for the networks' lambda and nu.
Values searched(const std::string& policy, const Reproduction& reproduction) {
  if (reproduction.quick) return {};
  if (policy.starts_with("linear-") || policy.starts_with("kernel-"))
    return {{"lambda", {"1"}}, {"nu", {"1", "0.1", "0.01"}}};
  if (policy == "neural-greedy") return {{"epsilon", {"0.01", "0.05", "0.1"}}};
  if (policy == "bootstrap-nn" || reproduction.preset == "tuned") return {};
  return {{"lambda", {"1", "0.1", "0.01", "0.001"}}, {"nu", {"0.1", "0.01", "0.001", "0.0001", "0.00001"}}};
}

const std::vector<std::string>& all_policies(const std::string& what) {
  if (what == "delay") return neural_pair;
  if (what == "runtime") return neural_four;
  return published_policies();
}

std::vector<std::string> policies_of(const Reproduction& reproduction) {
  std::vector<std::string> policies = all_policies(reproduction.what);
  if (!reproduction.policies.empty())
    std::erase_if(policies, [&](const std::string& name) {
      return std::find(reproduction.policies.begin(), reproduction.policies.end(), name) ==
             reproduction.policies.end();
    });
  return policies;
}

const std::vector<std::string>& envs_of(const Reproduction& reproduction) {
  return reproduction.envs.empty() ? published_envs() : reproduction.envs;
}

std::vector<std::uint64_t> first_seeds(std::size_t count) {
  std::vector<std::uint64_t> seeds(count);
  std::iota(seeds.begin(), seeds.end(), 1);
  return seeds;
}

std::size_t repeats(const Reproduction& reproduction) {
  if (reproduction.seeds > 0) return reproduction.seeds;
  return reproduction.quick ? 3 : 20;
}

std::size_t horizon(const Reproduction& reproduction) {
  if (reproduction.rounds > 0) return reproduction.rounds;
  return reproduction.quick ? 500 : 0;
}

bool names_a_file(const std::string& env) { return env.find_first_of("/.") < env.find(':') || env.starts_with("log:"); }

std::vector<std::string> world_names() {
  std::vector<std::string> names;
  for (const auto& world : environment_catalog()) names.push_back(world.name);
  return names;
}

void check(const Reproduction& reproduction) {
  const auto one_of = [](const std::string& name, const std::string& word, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), word) == known.end())
      throw Error(ErrorCode::bad_spec, "reproduce", "unknown " + name + " '" + word + "'", suggest(word, known));
  };
  one_of("experiment", reproduction.what, {"table", "figures", "delay", "runtime", "all"});
  one_of("preset", reproduction.preset, {"released", "tuned", "paper"});
  for (const auto& policy : reproduction.policies) one_of("policy", policy, all_policies(reproduction.what));
  for (const auto& env : reproduction.envs)
    if (!names_a_file(env)) one_of("world of --env", env.substr(0, env.find(':')), world_names());
}

/// A policy keeps its default where it has no preset of that name; the grid lists policies one by one for that
/// reason.
Grid grid_of(const std::string& policy, const Reproduction& reproduction) {
  Grid grid{.envs = envs_of(reproduction), .policies = {policy}};
  for (const auto& info : policy_catalog())
    if (info.name == policy.substr(0, policy.find(':')) && info.presets.contains(reproduction.preset))
      grid.presets = {reproduction.preset};
  grid.rounds = horizon(reproduction);
  grid.device = reproduction.device;
  return grid;
}

/// The repeats of one configuration in one world, with every delay where delays are asked for.
Grid repeat_grid(const std::string& policy, const std::string& env, const Reproduction& reproduction) {
  Grid grid = grid_of(policy, reproduction);
  grid.envs = {env};
  grid.seeds = first_seeds(repeats(reproduction));
  const bool delays = reproduction.what == "delay" || reproduction.what == "all";
  if (delays && std::find(neural_pair.begin(), neural_pair.end(), policy.substr(0, policy.find(':'))) !=
                    neural_pair.end())
    grid.delays = reproduction.quick ? quick_delays : paper_delays;
  return grid;
}

std::string chosen_text(const Config& config) {
  const PolicySpec& policy = config.spec.policy;
  return policy.params.empty() ? policy.name : policy.name + ":" + to_string(policy.params);
}

std::string device_of(const std::string& device) { return device.empty() ? "cpu" : device; }

// The folder may hold searches under other presets and horizons, too.
bool searched_by(const Grid& grid, const RunSpec& run) {
  return run.policy.name == grid.policies.front() && run.policy.preset == grid.presets.front() &&
         run.rounds == grid.rounds && device_of(run.device) == device_of(grid.device);
}

const Config* chosen(const Summary& found, const std::string& env, const Grid& grid) {
  for (const auto& world : found.worlds())
    for (const auto& series : found.series())
      if (const Config* config = found.best(world, series, "0");
          config != nullptr && config->spec.env == env && searched_by(grid, config->spec))
        return config;
  return nullptr;
}

}  // namespace

Experiment search_experiment(const Reproduction& reproduction) {
  check(reproduction);
  Experiment experiment;
  for (const auto& policy : policies_of(reproduction)) {
    Grid grid = grid_of(policy, reproduction);
    grid.set = searched(policy, reproduction);
    grid.seeds = first_seeds(std::min(reproduction.search_seeds, repeats(reproduction)));
    experiment.grids.push_back(std::move(grid));
  }
  return experiment;
}

bool searches(const Reproduction& reproduction) {
  check(reproduction);
  const auto policies = policies_of(reproduction);
  return std::any_of(policies.begin(), policies.end(),
                     [&](const std::string& policy) { return !searched(policy, reproduction).empty(); });
}

Experiment planned_repeats(const Reproduction& reproduction) {
  check(reproduction);
  Experiment experiment;
  for (const auto& env : envs_of(reproduction))
    for (const auto& policy : policies_of(reproduction)) {
      std::string text = policy;
      for (const auto& [key, values] : searched(policy, reproduction))
        text += (text == policy ? ":" : ",") + key + "=" + values.front();
      experiment.grids.push_back(repeat_grid(text, env, reproduction));
    }
  return experiment;
}

std::string default_folder(const Reproduction& reproduction) {
  return std::string("reproduce-") + (reproduction.what == "delay" ? "delay-" : "") + reproduction.preset +
         (reproduction.quick ? "-quick" : "");
}

Experiment repeat_experiment(const Reproduction& reproduction, const Summary& found) {
  Experiment experiment;
  for (const auto& env : envs_of(reproduction))
    for (const auto& policy : policies_of(reproduction))
      // None: every run of it failed, and was recorded so.
      if (const Config* config = chosen(found, env, grid_of(policy, reproduction)))
        experiment.grids.push_back(repeat_grid(chosen_text(*config), env, reproduction));
  return experiment;
}

}  // namespace neuralts
