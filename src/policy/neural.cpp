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

std::vector<ParamInfo> drawing_params() {
  auto all = params();
  all.push_back(
      {"optimism", "0", "0 .. 1000",
       "draws are centred so many times nu widths above the mean: what little is known of is tried sooner"});
  return all;
}

std::map<std::string, Params> presets() {
  auto all = neural_presets();
  all.emplace("theorem", theorem_preset());
  return all;
}

// A draw around an upper bound; doc/exploration-log.md has how it was chosen.
std::map<std::string, Params> drawing_presets() {
  auto all = presets();
  for (const char* preset : {"tuned", "fast"}) all[preset]["nu"] = "0.35", all[preset]["optimism"] = "2";
  return all;
}

double width_factor(const Settings& settings) {
  const double nu = settings.number("nu");
  return settings.is("exploration", "nu") ? nu : std::sqrt(nu);
}

std::unique_ptr<Rule> drawing_rule(const Settings& numbers) {
  return make_optimistic_thompson(width_factor(numbers), numbers.number("optimism"));
}
std::unique_ptr<Rule> bounding_rule(const Settings& numbers) { return make_ucb(width_factor(numbers)); }

template <std::vector<ParamInfo> (*own_params)(), std::unique_ptr<Rule> (*make_rule)(const Settings&)>
std::unique_ptr<Learner> make(const PolicySpec& spec, const Settings& settings) {
  const Settings numbers = resolve_theorem("policy " + spec.name, own_params(), settings);
  std::vector<std::string> notes;
  if (spec.preset == "theorem") notes.push_back(theorem_note(numbers));
  return make_belief_learner(spec, settings.values(),
                             make_forgetting(make_neural(numbers, spec), read_forget(numbers), spec.shape),
                             make_rule(numbers), std::move(notes));
}

}  // namespace

PolicyEntry neural_ts_entry() {
  return {.info = {"neural-ts", "a network's mean, its tangent features' width, a draw per arm",
                   "Zhang, Zhou, Li, Gu: Neural Thompson Sampling, ICLR 2021", drawing_params(),
                   drawing_presets(), "tuned"},
          .make = make<drawing_params, drawing_rule>,
          .takes_weights = true,
          .least_state = least_network_state};
}

PolicyEntry neural_ucb_entry() {
  return {.info = {"neural-ucb", "a network's mean plus nu times its tangent features' width",
                   "Zhou, Li, Gu: Neural Contextual Bandits with UCB-based Exploration, ICML 2020", params(),
                   presets(), "tuned"},
          .make = make<params, bounding_rule>,
          .takes_weights = true,
          .least_state = least_network_state};
}

}  // namespace neuralts
