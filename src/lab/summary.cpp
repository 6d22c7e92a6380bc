#include "lab/summary.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "lab/published.hpp"

namespace neuralts {

namespace {

auto identity(const RunSpec& spec) {
  return std::make_tuple(spec.env, spec.policy.name, spec.policy.preset, to_string(spec.policy.params),
                         spec.rounds, to_string(spec.delay), spec.device);
}

void add_once(std::vector<std::string>& list, const std::string& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

/// Delays of a kind together, the shortest first; none at all is a batch of no rounds.
auto delay_order(const std::string& text) {
  const Delay delay = parse_delay(text);
  const auto kind = delay.kind == Delay::Kind::none ? Delay::Kind::batch : delay.kind;
  return std::make_tuple(kind, delay.a, delay.b, delay.lost);
}

/// The paper's policies in the order of its table, the others before them.
std::ptrdiff_t paper_order(const std::string& series) {
  const auto& known = published_policies();
  const auto place = std::find(known.begin(), known.end(), series.substr(0, series.find(',')));
  return place == known.end() ? -1 : place - known.begin();
}

double mean_reward_of(const RunResult& result) {
  return result.rounds == 0 ? 0 : result.reward / static_cast<double>(result.rounds);
}
double loss_of(const RunResult& result) { return result.regret_known ? result.regret : -mean_reward_of(result); }

template <class Value>
math::Sample sample_of(const std::vector<const Record*>& runs, Value value) {
  std::vector<double> values;
  for (const Record* run : runs) values.push_back(value(run->result));
  return math::describe(values);
}

}  // namespace

Summary::Summary(const std::vector<Record>& records) {
  group(records);
  for (auto& config : configs_) {
    std::sort(config.runs.begin(), config.runs.end(),
              [](const Record* a, const Record* b) { return a->spec.seed < b->spec.seed; });
    config.loss = sample_of(config.runs, loss_of);
    config.mean_reward = sample_of(config.runs, mean_reward_of);
    config.regret = sample_of(config.runs, [](const RunResult& result) { return result.regret; });
    config.reward = sample_of(config.runs, [](const RunResult& result) { return result.reward; });
    config.seconds = sample_of(
        config.runs, [](const RunResult& result) { return result.select_seconds + result.learn_seconds; });
  }
  name_configs();
  order_names();
}

void Summary::group(const std::vector<Record>& records) {
  std::map<decltype(identity(RunSpec{})), std::size_t> places;
  for (const auto& record : records) {
    if (!record.ok()) {
      failed_.push_back(&record);
      continue;
    }
    const auto [place, fresh] = places.try_emplace(identity(record.spec), configs_.size());
    if (fresh) configs_.emplace_back().spec = record.spec;
    configs_[place->second].runs.push_back(&record);
  }
}

void Summary::name_configs() {
  std::map<std::string, std::set<std::size_t>> horizons;
  std::map<std::string, std::set<std::string>> presets, devices;
  for (const auto& config : configs_) {
    horizons[config.spec.env].insert(config.spec.rounds);
    presets[config.spec.policy.name].insert(config.spec.policy.preset);
    devices[config.spec.policy.name].insert(config.spec.device);
  }
  for (auto& config : configs_) {
    const RunSpec& spec = config.spec;
    config.world = spec.env;
    if (horizons[spec.env].size() > 1 && spec.rounds > 0)
      config.world += ", " + std::to_string(spec.rounds) + " rounds";
    config.series = spec.policy.name;
    if (presets[spec.policy.name].size() > 1)
      config.series += ", " + (spec.policy.preset.empty() ? std::string("default") : spec.policy.preset);
    if (devices[spec.policy.name].size() > 1)
      config.series += ", " + (spec.device.empty() ? std::string("cpu") : spec.device);
    config.delay = to_string(spec.delay);
  }
}

void Summary::order_names() {
  for (const auto& config : configs_) {
    add_once(worlds_, config.world);
    add_once(series_, config.series);
    add_once(delays_, config.delay);
  }
  std::stable_sort(series_.begin(), series_.end(),
                   [](const auto& a, const auto& b) { return paper_order(a) < paper_order(b); });
  std::stable_sort(delays_.begin(), delays_.end(),
                   [](const auto& a, const auto& b) { return delay_order(a) < delay_order(b); });
  if (delays_.empty()) delays_.push_back("0");
}

const Config* Summary::best(const std::string& world, const std::string& series, const std::string& delay,
                            std::size_t* tried) const {
  const Config* best = nullptr;
  std::size_t count = 0;
  for (const auto& config : configs_) {
    if (config.world != world || config.series != series || config.delay != delay) continue;
    ++count;
    const auto rank = [](const Config& c) { return std::make_pair(-static_cast<double>(c.loss.n), c.loss.mean); };
    if (best == nullptr || rank(config) < rank(*best)) best = &config;
  }
  if (tried != nullptr) *tried = count;
  return best;
}

bool Summary::regret_known(const std::string& world) const {
  return std::all_of(configs_.begin(), configs_.end(),
                     [&](const Config& config) { return config.world != world || config.regret_known(); });
}

Pairs shared_seeds(const Config& a, const Config& b) {
  Pairs pairs;
  for (const Record* run : a.runs)
    for (const Record* other : b.runs)
      if (run->spec.seed == other->spec.seed) {
        pairs.a.push_back(loss_of(run->result));
        pairs.b.push_back(loss_of(other->result));
      }
  return pairs;
}

Standing standing(const Config& config, const std::vector<const Config*>& others) {
  Standing standing;
  for (const Config* other : others) {
    if (other == &config) continue;
    const auto test = math::welch_test(config.loss, other->loss);
    if (!test.made()) continue;
    if (test.p >= test_level)
      ++standing.ties;
    else if (test.difference < 0)
      ++standing.wins;
    else
      ++standing.losses;
  }
  return standing;
}

}  // namespace neuralts
