// Worlds: what shows contexts and pays rewards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "neuralts/context.hpp"
#include "neuralts/error.hpp"
#include "neuralts/params.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

struct EnvironmentInfo {
  std::string name;
  Shape shape;
  std::size_t max_arms = 0;               ///< the most arms a round offers; 0: not said
  std::size_t rounds = 0;                 ///< default horizon
  std::size_t max_rounds = 0;             ///< how many rounds there are; 0: endless
  std::vector<std::string> arm_labels{};    ///< class labels where there are any
  std::vector<std::string> column_names{};  ///< of the block's numbers, where they have names
};

/// One run through a world. After next() returned true, the views below hold until the following next().
class Episode {
 public:
  virtual ~Episode() = default;
  /// Moves to the next round; false when the world has no more.
  virtual bool next() = 0;
  virtual const Contexts& contexts() const = 0;
  /// Expected reward of every arm offered; empty where nobody knows (a log).
  virtual std::span<const double> expected() const = 0;
  /// The reward of `arm` in this round: the same whenever and however often it is asked for.
  /// Nothing where a log holds another arm's reward: such a round does not count.
  virtual std::optional<double> reward(std::size_t arm) = 0;
};

/// Holds the round under way, the `round`-th from 1, against what is promised above: at most info.max_arms arms, contexts of its shape,
/// and for each of them an expected reward up to `largest_number` (limits.hpp), or for none. Throws
/// Error(bad_input) that names world, round and arm.
void check_round(const EnvironmentInfo& info, std::size_t round, const Episode& episode);
/// The same for what `arm`, a position among those offered, has paid.
void check_paid(const EnvironmentInfo& info, std::size_t round, const Episode& episode, std::size_t arm, double reward);

/// A world. Immutable: any number of episodes may run at once, from any thread.
class Environment {
 public:
  virtual ~Environment() = default;
  const EnvironmentInfo& info() const { return info_; }
  /// The episode of a seed: a pure function of it (order of rows, hidden parameters, noise).
  virtual std::unique_ptr<Episode> start(std::uint64_t seed) const = 0;

 protected:
  explicit Environment(EnvironmentInfo info) : info_(std::move(info)) {}
  EnvironmentInfo info_;
};

/// An environment by text: "quadratic", "wheel:delta=0.95,noise=0.01", "mushroom", "path/to/file.csv.gz",
/// "log:FILE". `data_dir`: where data sets are looked for first; empty: $NEURALTS_DATA, then the user's data
/// folder. Throws Error(bad_spec | not_found | bad_input).
std::shared_ptr<const Environment> make_environment(const std::string& text, const std::string& data_dir = "");

/// A labelled data set in memory: row i of `features` (row-major, `columns` numbers, NaN where nothing is
/// known) has class classes[labels[i]]. Views need hold only during the call that takes them; numbers are kept
/// as floats.
struct LabelledData {
  std::string name = "arrays";
  std::span<const double> features;
  std::size_t columns = 0;
  std::span<const std::uint32_t> labels;
  std::vector<std::string> classes;
  std::vector<std::string> column_names{};  ///< empty: x0, x1, ...
};

/// The data set as a world, each class an arm; `params` are those of the data sets in the catalog.
/// Throws Error(bad_spec | bad_input), ContractError when the sizes do not fit together.
std::shared_ptr<const Environment> make_environment(const LabelledData& data, const Params& params = {});

struct EnvironmentHelp {
  std::string name, summary;
  std::vector<ParamInfo> params;
};
const std::vector<EnvironmentHelp>& environment_catalog();

}  // namespace neuralts
#pragma GCC visibility pop
