// To write a policy of one's own: a belief times a rule, or a learner with its models, made known by name.
//
//   register_policy({info, [](const PolicySpec& spec, const Settings& settings) -> std::unique_ptr<Learner> {
//     return make_belief_learner(spec, settings.values(), std::make_unique<MyBelief>(...), make_thompson(settings.number("nu")));
//   }});
//   auto policy = make_policy({.name = "mine", .shape = {.length = 20}});      // listings, files, sweeps know it from now on
//
// The library's own beliefs are not shown here. A new way to choose by what one of its policies believes is a Learner
// around make_learner({.name = "neural-ts", ...}), each do_ verb calling the other's, whose models let the inner one
// select() and then choose anew from `mean` and `width`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "neuralts/belief.hpp"
#include "neuralts/policy.hpp"
#include "neuralts/rule.hpp"
#include "neuralts/settings.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

/// How a policy makes itself known.
struct PolicyEntry {
  PolicyInfo info;  ///< without `floor`, which every policy has
  std::function<std::unique_ptr<Learner>(const PolicySpec& spec, const Settings& settings)> make;
  bool takes_weights = false;  ///< of PolicySpec
  /// The fewest bytes that a saved state can have, so that a damaged file is refused before memory is asked
  /// for. May be empty.
  std::function<double(const PolicySpec& spec, const Settings& settings)> least_state = {};
};

/// Makes a policy known to make_policy, load_policy and all listings of this process. Thread-safe. Throws
/// Error(bad_spec) for a name that is taken and for a default or a preset that its own table does not allow,
/// ContractError for an entry that cannot be used: a name or key that is empty or holds one of " ,;:=", a key that
/// stands there twice, a default preset that is none of its presets, no `make`.
void register_policy(PolicyEntry entry);

/// A model over a predictor: what a rule or another way of choosing makes of what is believed.
using ModelOver = std::function<std::unique_ptr<Model>(std::shared_ptr<const ModelHead> head,
                                                       std::shared_ptr<const Predictor> known)>;

/// Belief x way of choosing = policy. `resolved`: every parameter with the value in force. `notes`: before
/// those of the belief. Throws ContractError where there is no belief, no rule or no way of choosing.
std::unique_ptr<Learner> make_belief_learner(const PolicySpec& spec, const Params& resolved,
                                             std::unique_ptr<Belief> belief, ModelOver choose,
                                             std::vector<std::string> notes = {});
/// Belief x rule = policy.
std::unique_ptr<Learner> make_belief_learner(const PolicySpec& spec, const Params& resolved,
                                             std::unique_ptr<Belief> belief, std::unique_ptr<Rule> rule,
                                             std::vector<std::string> notes = {});

/// A model whose choice is made of what a predictor of type `P` says.
template <class P>
class ModelOverPredictor : public Model {
 public:
  void save(Writer& out) const final { known_->save(out); }

 protected:
  ModelOverPredictor(std::shared_ptr<const ModelHead> head, std::shared_ptr<const Predictor> known)
      : Model(std::move(head)), known_(std::static_pointer_cast<const P>(std::move(known))) {}
  const P& known() const { return *known_; }

 private:
  std::shared_ptr<const P> known_;
};

}  // namespace neuralts
#pragma GCC visibility pop
