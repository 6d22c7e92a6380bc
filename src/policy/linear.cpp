// Linear Thompson sampling and linear UCB: a ridge belief with either rule.
#include "model/linear.hpp"

#include <cmath>

#include "model/standardised.hpp"
#include "policy/forget_param.hpp"
#include "policy/joint_draw.hpp"
#include "policy/registry.hpp"
#include "policy/standardised_params.hpp"

namespace neuralts {

namespace {

const ParamInfo lambda_info{"lambda", "1", "> 0",
                            "ridge: larger holds the weights nearer to 0 and the widths smaller"};
const ParamInfo dialect_info{"dialect", "paper", "paper | released",
                             "what nu multiplies: the width (paper), or as the program behind the published table has it (released): "
                             "a draw of variance lambda nu width^2, a bonus sqrt(lambda nu) width^2 without the root"};

const ParamInfo intercept_info{"intercept", "false", "true | false",
                               "a constant 1 behind every context: a difference between arms need not be learned through the columns"};

ParamInfo nu_info(const std::string& value) {
  return {"nu", value, "0 .. 1e6",
          "exploration: the width is multiplied by it; 0 is greedy, the published grid is 1, 0.1, 0.01"};
}

// The published runs took the best of three nu; doc/results.md has the figures of each.
std::map<std::string, Params> presets(const std::string& nu) {
  return {{"paper", {{"nu", nu}}},
          {"released", {{"nu", nu}, {"dialect", "released"}}},
          {"tuned", {{"inputs", "standardised"}, {"rewards", "standardised"}, {"intercept", "true"}}}};
}

bool released(const Settings& settings) { return settings.is("dialect", "released"); }

// A draw's standard deviation in widths.
double draw_scale(const Settings& settings) {
  const double nu = settings.number("nu"), lambda = settings.number("lambda");
  return released(settings) ? std::sqrt(lambda * nu) : nu;
}

std::unique_ptr<Belief> make_belief(const PolicySpec& spec, const Settings& settings) {
  const Forget forget = read_forget(settings);
  StandardisedSettings standardised = read_standardised(settings, spec.shape, settings.flag("intercept") ? 1 : 0);
  if (!changes_anything(standardised))
    return make_forgetting(
        std::make_unique<LinearBelief>(spec.shape, settings.number("lambda"), forget.memory()), forget,
        spec.shape);
  standardised.remembers = forget.memory();
  const LinearBelief plain(standardised.inner_shape(), settings.number("lambda"));
  return make_forgetting(std::make_unique<StandardisedBelief<LinearBelief>>(standardised, plain), forget,
                         spec.shape);
}

// In different blocks one draw of the whole parameter is a draw of its own for each arm: then the probabilities
// are exact.
std::unique_ptr<Learner> make_ts(const PolicySpec& spec, const Settings& settings) {
  auto belief = make_belief(spec, settings);
  const double scale = draw_scale(settings);
  const std::size_t samples = settings.count("propensity_draws");
  const bool joint = settings.is("draw", "joint");
  if (joint && spec.shape.blocks == 1)
    return make_belief_learner(spec, settings.values(), std::move(belief), joint_draw(scale, samples));
  return make_belief_learner(spec, settings.values(), std::move(belief), make_thompson(scale));
}

std::unique_ptr<Learner> make_ucb_policy(const PolicySpec& spec, const Settings& settings) {
  auto belief = make_belief(spec, settings);
  const double nu = settings.number("nu");
  auto rule = released(settings) ? make_variance_ucb(std::sqrt(settings.number("lambda") * nu)) : make_ucb(nu);
  return make_belief_learner(spec, settings.values(), std::move(belief), std::move(rule));
}

// Three lists, perhaps empty, for each block.
double least_state(const PolicySpec& spec, const Settings& settings) {
  return 3.0 * sizeof(std::uint64_t) * static_cast<double>(spec.shape.blocks) +
         least_standardised_state(spec, settings);
}

}  // namespace

PolicyEntry linear_ts_entry() {
  return {{.name = "linear-ts",
           .summary = "ridge regression, plays the best arm of a parameter drawn from its posterior",
           .reference = "Agrawal, Goyal: Thompson Sampling for Contextual Bandits with Linear Payoffs, ICML 2013",
           .params = {nu_info("0.4"), lambda_info, inputs_info(), rewards_info(), intercept_info, forget_info(), joint_draw_info(),
                      propensity_draws_info(), dialect_info},
           .presets = presets("0.1"),
           .default_preset = "tuned"},
          &make_ts, false, least_state};
}

PolicyEntry linear_ucb_entry() {
  return {{.name = "linear-ucb",
           .summary = "ridge regression, plays the largest upper confidence bound",
           .reference =
               "Chu, Li, Reyzin, Schapire: Contextual Bandits with Linear Payoff Functions, AISTATS 2011",
           .params = {nu_info("1"), lambda_info, inputs_info(), rewards_info(), intercept_info, forget_info(),
                      dialect_info},
           .presets = presets("1"),
           .default_preset = "tuned"},
          &make_ucb_policy,
          false,
          least_state};
}

}  // namespace neuralts
