// Neural Thompson Sampling and Neural UCB: one belief, two rules.
#include "policy/neural.hpp"

#include <cmath>

#include "policy/forget_param.hpp"
#include "policy/registry.hpp"
#include "neuralts/rule.hpp"
#include "policy/theorem_preset.hpp"

namespace neuralts {

namespace {

std::vector<ParamInfo> params() { return with_theorem(neural_params()); }

std::map<std::string, Params> presets() {
  auto all = neural_presets();
  all.emplace("theorem", theorem_preset());
  return all;
}

double width_factor(const Settings& settings) {
  const double nu = settings.number("nu");
  return settings.is("exploration", "nu") ? nu : std::sqrt(nu);
}

template <std::unique_ptr<Rule> (*make_rule)(double)>
std::unique_ptr<Learner> make(const PolicySpec& spec, const Settings& settings) {
  const Settings numbers = resolve_theorem("policy " + spec.name, params(), settings);
  std::vector<std::string> notes;
  if (spec.preset == "theorem") notes.push_back(theorem_note(numbers));
  return make_belief_learner(spec, settings.values(), make_forgetting(make_neural(numbers, spec), read_forget(numbers), spec.shape), make_rule(width_factor(numbers)), std::move(notes));
}

}  // namespace

PolicyEntry neural_ts_entry() {
  return {.info = {"neural-ts", "a network's mean, its tangent features' width, a draw per arm", "Zhang, Zhou, Li, Gu: Neural Thompson Sampling, ICLR 2021",
           params(), presets(), "tuned"},
          .make = make<make_thompson>, .takes_weights = true, .least_state = least_network_state};
}

PolicyEntry neural_ucb_entry() {
  return {.info = {"neural-ucb", "a network's mean plus nu times its tangent features' width", "Zhou, Li, Gu: Neural Contextual Bandits with UCB-based Exploration, ICML 2020",
           params(), presets(), "tuned"},
          .make = make<make_ucb>, .takes_weights = true, .least_state = least_network_state};
}

}  // namespace neuralts
