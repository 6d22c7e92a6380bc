// The heart of the library: a policy sees a context for each arm, picks one, and learns from rewards, late or at once.
//
//   Stream explore(seed, Purpose::exploration);  Scratch scratch;  Decision d;
//   auto policy = make_policy({.name = "neural-ts", .shape = {.length = 20}, .seed = seed});
//   policy->select(contexts, explore, scratch, d);      // const: any number of threads, each with its own stream and scratch
//   policy->played(contexts[d.arm]);                    // at once
//   policy->learn({{{contexts[d.arm], reward}}});       // now, later, in batches, in any order, or never
//
// `agent.hpp` bundles the four objects for whoever serves one stream of decisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "neuralts/context.hpp"
#include "neuralts/error.hpp"
#include "neuralts/params.hpp"
#include "neuralts/random.hpp"
#include "neuralts/scratch.hpp"

namespace neuralts {

class Writer;
class Reader;

/// What was chosen and why. Vectors have one entry per arm offered.
struct Decision {
  std::size_t arm = 0;
  double probability = 0;             ///< of `arm`
  bool estimated = false;             ///< the probabilities are an estimate (a joint draw has no closed form)
  std::vector<double> probabilities;  ///< with which the policy would have chosen each arm; they sum to 1
  std::vector<double> mean;           ///< believed reward
  std::vector<double> width;          ///< standard deviation of the believed reward, nu not applied
  std::vector<double> score;          ///< what the rule compared: a draw, a bound, the mean
};

/// A round whose reward is known.
struct Finished {
  Slice context;      ///< of the arm that was played
  double reward = 0;  ///< any finite number
};

/// A policy, by name. `params` holds only what differs from the preset.
struct PolicySpec {
  std::string name = "neural-ts";
  std::string preset;  ///< empty: the policy's default preset
  Params params;
  Shape shape;
  std::uint64_t seed = 1;  ///< initialisation and training; exploration draws from the caller's stream
  /// neural-ts, neural-ucb: the network to start from instead of a drawn one. Layer after layer W_1, b_1, W_2, ..., every matrix
  /// with a row per output (biases only with biases=true). Saved policies carry their own. Empty: drawn.
  std::vector<double> weights = {};
};

class Policy {
 public:
  virtual ~Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  /// Chooses an arm into `out`, whose vectors are reused. Changes nothing but `explore`, `scratch` and `out`;
  /// safe from many threads as long as none of them calls played() or learn().
  /// Throws ContractError, before anything is drawn, for no arms, a wrong size, or a number that is not finite.
  void select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const;

  /// Tells that `context` was played; its reward may follow, or never. Needed once per round by policies whose width
  /// counts plays (`design=played`), harmless for others.
  void played(const Slice& context);

  /// Learns from finished rounds. All are checked before the first changes anything.
  void learn(std::span<const Finished> rounds);

  const PolicySpec& spec() const { return spec_; }
  /// Every parameter with the value in force (preset and defaults resolved).
  const Params& resolved() const { return resolved_; }
  /// Remarks a user should read once (a fallback taken, a setting that had to be bent). Grows; never shrinks.
  virtual std::vector<std::string> notes() const { return {}; }
  /// Bytes held for what was learned.
  virtual std::size_t memory() const = 0;

  /// Everything learn() and played() have changed. `restore` REQUIRES a policy made from the same spec.
  virtual void save(Writer& out) const = 0;
  virtual void restore(Reader& in) = 0;

 protected:
  explicit Policy(PolicySpec spec, Params resolved) : spec_(std::move(spec)), resolved_(std::move(resolved)) {}
  // The checked halves of the three verbs. do_select finds all vectors of `out` sized to the number of arms and filled with 0.
  virtual void do_select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const = 0;
  virtual void do_played(const Slice& context);
  virtual void do_learn(std::span<const Finished> rounds) = 0;

 private:
  PolicySpec spec_;
  Params resolved_;
};

/// Makes a policy. Throws Error(bad_spec) for an unknown name, preset or key (the nearest known one is named) or a value out of range.
std::unique_ptr<Policy> make_policy(const PolicySpec& spec);

/// What the factory knows, for help texts and listings.
struct PolicyInfo {
  std::string name, summary, reference;
  std::vector<ParamInfo> params;               ///< defaults hold where the preset in force is silent
  std::map<std::string, Params> presets;       ///< what each preset changes
  std::string default_preset;
};
const std::vector<PolicyInfo>& policy_catalog();
/// One of them. Throws Error(bad_spec) for an unknown name, naming the nearest.
const PolicyInfo& policy_info(const std::string& name);

/// A policy in a file: magic, version, spec, payload, checksum; written to a temporary name and renamed.
/// Loading and continuing equals continuing, bit for bit. A damaged file throws Error(corrupt) and loads nothing.
void save_policy(const Policy& policy, const std::string& path);
std::unique_ptr<Policy> load_policy(const std::string& path);

}  // namespace neuralts
