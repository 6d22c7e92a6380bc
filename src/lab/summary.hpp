// Records, ordered for telling: worlds, series, configurations, and which configuration speaks for its series.
#pragma once

#include <string>
#include <vector>

#include "math/statistics.hpp"
#include "neuralts/lab.hpp"

namespace neuralts {

/// A specification without its seed, and its finished runs in the order of their seeds.
struct Config {
  RunSpec spec;  ///< of the first run
  std::string world, series, delay;
  std::vector<const Record*> runs;
  math::Sample regret, reward, seconds;
  /// What the smaller, the better: the final regret; in a replayed log the mean reward with its sign turned.
  math::Sample loss;
  math::Sample mean_reward;   ///< a round that counted
  bool regret_known() const { return runs.front()->result.regret_known; }
  std::size_t rounds() const { return runs.front()->result.rounds; }
};

/// Views of `records`: REQUIRES that they outlive it.
class Summary {
 public:
  explicit Summary(const std::vector<Record>& records);

  /// "mushroom", or "mushroom, 500 rounds" where horizons differ.
  const std::vector<std::string>& worlds() const { return worlds_; }
  /// "neural-ts", or "neural-ts, tuned" where presets differ.
  const std::vector<std::string>& series() const { return series_; }
  const std::vector<std::string>& delays() const { return delays_; }  ///< as text, the smallest first
  const std::vector<Config>& configs() const { return configs_; }
  const std::vector<const Record*>& failed() const { return failed_; }

  /// What speaks for a series in a world: of the configurations with the most seeds, the one with the least
  /// mean loss; null: none. `tried`, where given, becomes the number of configurations it was chosen from.
  const Config* best(const std::string& world, const std::string& series, const std::string& delay,
                     std::size_t* tried = nullptr) const;
  /// Whether regret is known in a world; in a replayed log it is not.
  bool regret_known(const std::string& world) const;
  /// The delay the main table is about: none, or else the smallest.
  const std::string& base_delay() const { return delays_.front(); }

 private:
  void group(const std::vector<Record>& records);
  void name_configs();
  void order_names();
  std::vector<Config> configs_;
  std::vector<std::string> worlds_, series_, delays_;
  std::vector<const Record*> failed_;
};

/// Seeds that both have finished, as two lists of losses in the same order.
struct Pairs {
  std::vector<double> a, b;
};
Pairs shared_seeds(const Config& a, const Config& b);

/// How often `config` is significantly better than, equal to, or worse than each of `others` (Welch's t-test); what
/// has one seed is not tested and not counted.
struct Standing {
  int wins = 0, ties = 0, losses = 0;
  int tests() const { return wins + ties + losses; }
};
constexpr double test_level = 0.10;  // the paper tests at 90 %
Standing standing(const Config& config, const std::vector<const Config*>& others);

}  // namespace neuralts
