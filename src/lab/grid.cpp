// From a grid to its runs.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "neuralts/keys.hpp"
#include "neuralts/lab.hpp"

namespace neuralts {

namespace {

/// A policy of the grid, with what of the grid applies to it.
struct Candidate {
  PolicySpec spec;
  std::vector<std::string> presets;
  std::map<std::string, std::vector<std::string>> set;
};

/// The policies an experiment may name: the factory's, and those that are given, which have no parameters.
class KnownPolicies {
 public:
  explicit KnownPolicies(const GivenContestants& given) {
    for (const auto& info : policy_catalog()) known_.push_back(info);
    for (const auto& [name, policy] : given) {
      if (std::any_of(known_.begin(), known_.end(),
                      [&name = name](const PolicyInfo& info) { return info.name == name; }))
        throw Error(ErrorCode::bad_spec, "policy", "'" + name + "' is the name of a policy of the library",
                    "give yours another name");
      known_.push_back(
          {.name = name, .summary = "", .reference = "", .params = {}, .presets = {}, .default_preset = ""});
    }
    first_given_ = known_.size() - given.size();
  }
  const PolicyInfo& find(const std::string& text) const {
    const std::string name = text.substr(0, text.find(':'));
    std::vector<std::string> names;
    for (const auto& info : known_) {
      if (info.name == name) return info;
      names.push_back(info.name);
    }
    throw Error(ErrorCode::bad_spec, "policy", "unknown policy '" + name + "'", suggest(name, names));
  }
  bool is_given(const std::string& name) const {
    return static_cast<std::size_t>(&find(name) - known_.data()) >= first_given_;
  }

 private:
  std::vector<PolicyInfo> known_;
  std::size_t first_given_ = 0;
};

bool has_key(const PolicyInfo& info, const std::string& key) {
  return std::any_of(info.params.begin(), info.params.end(),
                     [&](const ParamInfo& param) { return param.key == known_key(key, info.params); });
}

bool has_preset(const PolicyInfo& info, const std::string& preset) {
  return preset.empty() || info.presets.contains(preset);
}

Candidate make_candidate(const std::string& text, const Grid& grid, const PolicyInfo& info) {
  const std::size_t colon = text.find(':');
  Candidate candidate;
  candidate.spec.name = info.name;
  if (colon != std::string::npos) candidate.spec.params = parse_params(std::string_view(text).substr(colon + 1));
  candidate.spec.params = known_keys("policy " + info.name, candidate.spec.params, info.params);
  for (const auto& preset : grid.presets)
    if (const std::string known = has_preset(info, preset) ? preset : "";
        std::find(candidate.presets.begin(), candidate.presets.end(), known) == candidate.presets.end())
      candidate.presets.push_back(known);
  for (const auto& [key, values] : grid.set)
    if (const std::string known = known_key(key, info.params);
        has_key(info, key) && !candidate.spec.params.contains(known))
      candidate.set[known] = values;
  return candidate;
}

/// Where a person finds the grid.
std::string place_of(const Grid& grid, const Experiment& experiment) {
  if (experiment.grids.size() == 1) return experiment.name;
  return fmt::format("{}, grid {}", experiment.name, &grid - experiment.grids.data() + 1);
}

void check_not_empty(const Grid& grid, const Experiment& experiment) {
  const auto check = [&](const char* key, const char* what, bool empty) {
    if (empty)
      throw Error(ErrorCode::bad_spec, place_of(grid, experiment), fmt::format("{}: the list of {} is empty", key, what),
                  fmt::format("name some: {0} = ... there or at the top of the file, or --{0}", key));
  };
  check("env", "environments", grid.envs.empty());
  check("policy", "policies", grid.policies.empty());
  check("preset", "presets", grid.presets.empty());
  check("seeds", "seeds", grid.seeds.empty());
  check("delay", "delays", grid.delays.empty());
}

/// What a grid says and its policies have: parameters or presets.
struct Vocabulary {
  const char* name;
  bool (*has)(const PolicyInfo& info, const std::string& word);
  bool (*says)(const Grid& grid, const std::string& word);
  std::vector<std::string> (*words)(const PolicyInfo& info);
};

bool says_key(const Grid& grid, const std::string& key) { return grid.set.contains(key); }
bool says_preset(const Grid& grid, const std::string& preset) {
  return std::find(grid.presets.begin(), grid.presets.end(), preset) != grid.presets.end();
}
std::vector<std::string> keys_of(const PolicyInfo& info) {
  std::vector<std::string> keys;
  for (const auto& param : info.params) keys.push_back(param.key);
  return keys;
}
std::vector<std::string> presets_of(const PolicyInfo& info) {
  std::vector<std::string> presets;
  for (const auto& [name, params] : info.presets) presets.push_back(name);
  return presets;
}

constexpr Vocabulary parameters{"parameter", has_key, says_key, keys_of},
    presets{"preset", has_preset, says_preset, presets_of};

/// A word that no policy of the grid has is a typing error, not a wish; but what every grid says stands at the top of
/// a file or in a flag, and is for those that have it.
void check_word(const std::string& word, const Vocabulary& vocabulary, const Grid& grid, const Experiment& experiment,
                const KnownPolicies& policies) {
  const auto says = [&](const Grid& one) { return vocabulary.says(one, word); };
  const auto knows = [&](const Grid& one) {
    return std::any_of(one.policies.begin(), one.policies.end(),
                       [&](const std::string& text) { return vocabulary.has(policies.find(text), word); });
  };
  const auto& all = experiment.grids;
  if (knows(grid) || (std::all_of(all.begin(), all.end(), says) && std::any_of(all.begin(), all.end(), knows)))
    return;
  std::vector<std::string> words;
  for (const auto& text : grid.policies)
    for (auto& known : vocabulary.words(policies.find(text))) words.push_back(std::move(known));
  throw Error(ErrorCode::bad_spec, place_of(grid, experiment),
              fmt::format("unknown {} '{}' for every policy of it", vocabulary.name, word), suggest(word, words));
}

void check_known(const Grid& grid, const Experiment& experiment, const KnownPolicies& policies) {
  for (const auto& [key, values] : grid.set) {
    check_word(key, parameters, grid, experiment, policies);
    if (values.empty())
      throw Error(ErrorCode::bad_spec, place_of(grid, experiment), "the parameter '" + key + "' has no value");
  }
  for (const auto& preset : grid.presets) check_word(preset, presets, grid, experiment, policies);
}

/// Every choice of one value per key, in the order of the lists.
std::vector<Params> product(const std::map<std::string, std::vector<std::string>>& set) {
  std::vector<Params> all{{}};
  for (const auto& [key, values] : set) {
    std::vector<Params> longer;
    for (const auto& params : all)
      for (const auto& value : values) {
        longer.push_back(params);
        longer.back()[key] = value;
      }
    all = std::move(longer);
  }
  return all;
}

/// The processor has no name: runs on it are what they were before there were devices.
std::string device_name(const std::string& device) {
  if (device.empty() || device == "cpu") return "";
  if (device != "cuda")
    throw Error(ErrorCode::bad_spec, "device", "unknown device '" + device + "'", "cpu or cuda");
  return device;
}

std::vector<RunSpec> policy_runs(const Candidate& candidate, const Grid& grid) {
  std::vector<RunSpec> runs;
  for (const auto& preset : candidate.presets)
    for (const auto& choice : product(candidate.set))
      for (const auto& delay : grid.delays)
        for (const auto seed : grid.seeds) {
          RunSpec run{.env = {},
                      .policy = candidate.spec,
                      .seed = seed,
                      .rounds = grid.rounds,
                      .delay = parse_delay(delay),
                      .device = device_name(grid.device)};
          run.policy.preset = preset;
          run.policy.params.insert(choice.begin(), choice.end());
          runs.push_back(std::move(run));
        }
  return runs;
}

/// Values out of range are refused before anything runs; a policy is made for the purpose, in the smallest of
/// worlds.
void check_values(const RunSpec& run) {
  PolicySpec spec = run.policy;
  spec.shape = {.length = 2, .blocks = 2};
  make_policy(spec);
}

}  // namespace

std::vector<RunSpec> expand(const Experiment& experiment, const GivenContestants& given) {
  const KnownPolicies policies(given);
  std::vector<RunSpec> runs;
  std::set<std::string> seen;
  for (const auto& grid : experiment.grids) {
    check_not_empty(grid, experiment);
    check_known(grid, experiment, policies);
    for (const auto& env : grid.envs)
      for (const auto& text : grid.policies)
        for (auto& run : policy_runs(make_candidate(text, grid, policies.find(text)), grid)) {
          run.env = env;
          // What it trains, and on what, is its own affair.
          if (policies.is_given(run.policy.name)) run.device.clear();
          if (!seen.insert(run_key(run)).second) continue;
          const bool first = env == grid.envs.front() && run.seed == grid.seeds.front();
          if (first && !policies.is_given(run.policy.name)) check_values(run);
          runs.push_back(std::move(run));
        }
  }
  return runs;
}

}  // namespace neuralts
