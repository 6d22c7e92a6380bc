// The heart of the library: a policy sees a context for each arm, picks one, and learns from rewards, late or
// at once.
//
//   Stream explore(seed, Purpose::exploration);  Scratch scratch;  Decision d;
//   auto policy = make_policy({.name = "neural-ts", .shape = {.length = 20}, .seed = seed});
//   policy->select(contexts, explore, scratch, d);      // const: any number of threads, each with its own stream and scratch
//   policy->played(contexts, d.arm);                    // at once
//   policy->learn({{{contexts[d.arm], reward}}});       // now, later, in batches, in any order, or never
//
// A policy is a learner (learner.hpp) and what it knows (model.hpp) held together, for one thread. Who decides
// on some threads and learns on another takes the two apart. `agent.hpp` bundles the four objects for whoever
// serves one stream of decisions.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "neuralts/error.hpp"
#include "neuralts/learner.hpp"
#include "neuralts/model.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

/// What was moved from can be assigned to or destroyed, no more.
class Policy final {
 public:
  explicit Policy(std::unique_ptr<Learner> learner) : learner_(std::move(learner)) {}

  /// Model::select of what is known now: safe from many threads as long as none of them calls offered(), played() or learn().
  void select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const {
    learner_->current().select(contexts, explore, scratch, out);
  }
  void offered(const Contexts& contexts) { learner_->offered(contexts); }
  void played(const Slice& context) { learner_->played(context); }
  /// Both, of a decision for arm `arm`.
  void played(const Contexts& contexts, std::size_t arm) {
    offered(contexts);
    played(contexts[arm]);
  }
  /// Learns from finished rounds: takes them in and trains when the schedule says so. A call that throws has
  /// changed nothing. A training for which memory is short does not take place: it stays due, is tried again at
  /// the next call, and notes() says so.
  void learn(std::span<const Finished> rounds);

  Learner& learner() { return *learner_; }
  const Learner& learner() const { return *learner_; }
  std::shared_ptr<const Model> publish() const { return learner_->publish(); }

  const PolicySpec& spec() const { return learner_->spec(); }
  const Params& resolved() const { return learner_->resolved(); }
  std::vector<std::string> notes() const;
  std::size_t memory() const { return learner_->memory(); }
  void save(Writer& out) const { learner_->save(out); }
  void restore(Reader& in) { learner_->restore(in); }

 private:
  std::unique_ptr<Learner> learner_;
  std::size_t starved_ = 0;  // trainings for which memory was short
};

/// Makes a policy: make_learner's, in its simple front.
std::unique_ptr<Policy> make_policy(const PolicySpec& spec);

/// What the factory knows, for help texts and listings.
struct PolicyInfo {
  std::string name, summary{}, reference{};
  std::vector<ParamInfo> params{};          ///< defaults hold where the preset in force is silent
  std::map<std::string, Params> presets{};  ///< what each preset changes
  std::string default_preset{};
};
std::vector<PolicyInfo> policy_catalog();
/// One of them. Throws Error(bad_spec) for an unknown name, naming the nearest.
const PolicyInfo& policy_info(const std::string& name);

/// A policy in a file: specification with every value in force, state, checksum; written to a temporary name
/// and renamed. Loading and continuing equals continuing, bit for bit. A damaged file throws Error(corrupt) and
/// loads nothing.
void save_policy(const Policy& policy, const std::string& path);
std::unique_ptr<Policy> load_policy(const std::string& path);

}  // namespace neuralts
#pragma GCC visibility pop
