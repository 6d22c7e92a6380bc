// Neural Thompson Sampling and Neural UCB: one belief, two rules.
#include "policy/neural.hpp"

#include <cmath>

#include "policy/belief_policy.hpp"
#include "policy/registry.hpp"
#include "policy/rule.hpp"

namespace neuralts {

namespace {

double width_factor(const Settings& settings) {
  const double nu = settings.number("nu", 0, 1e300);
  return settings.choice("exploration", {"nu", "sqrt-nu"}) == 0 ? nu : std::sqrt(nu);
}

template <std::unique_ptr<Rule> (*make_rule)(double)>
std::unique_ptr<Policy> make(const PolicySpec& spec, const Settings& settings) {
  return std::make_unique<BeliefPolicy>(spec, settings.values(), make_neural(settings, spec), make_rule(width_factor(settings)));
}

}  // namespace

PolicyEntry neural_ts_entry() {
  return {{"neural-ts", "a network's mean, its tangent features' width, a draw per arm", "Zhang, Zhou, Li, Gu: Neural Thompson Sampling, ICLR 2021",
           neural_params(), neural_presets(), "tuned"},
          make<make_thompson>};
}

PolicyEntry neural_ucb_entry() {
  return {{"neural-ucb", "a network's mean plus nu times its tangent features' width", "Zhou, Li, Gu: Neural Contextual Bandits with UCB-based Exploration, ICML 2020",
           neural_params(), neural_presets(), "tuned"},
          make<make_ucb>};
}

}  // namespace neuralts
