// Neural-linear: Thompson sampling in the last layer of a trained network.
#include "model/neural_linear.hpp"

#include "policy/forget_param.hpp"
#include "policy/joint_draw.hpp"
#include "policy/network_params.hpp"
#include "policy/registry.hpp"

namespace neuralts {

namespace {

std::unique_ptr<Belief> make_belief(const PolicySpec& spec, const Settings& settings) {
  const FitSettings fit = read_fit_without_design(settings, spec);
  const double ridge = settings.number("ridge");
  if (settings.is("precision", "float64")) return std::make_unique<NeuralLinearBelief<double>>(fit, ridge);
  return std::make_unique<NeuralLinearBelief<float>>(fit, ridge);
}

std::unique_ptr<Learner> make(const PolicySpec& spec, const Settings& settings) {
  auto belief = make_forgetting(make_belief(spec, settings), read_forget(settings), spec.shape);
  const double nu = settings.number("nu");
  const std::size_t samples = settings.count("propensity_draws");
  if (settings.is("draw", "joint"))
    return make_belief_learner(spec, settings.values(), std::move(belief), joint_draw(nu, samples));
  return make_belief_learner(spec, settings.values(), std::move(belief), make_thompson(nu));
}

}  // namespace

PolicyEntry neural_linear_entry() {
  return {{.name = "neural-linear",
           .summary = "ridge regression on the last hidden layer of a trained network, plays the best arm of a drawn parameter",
           .reference = "Riquelme, Tucker, Snoek: Deep Bayesian Bandits Showdown, ICLR 2018",
           .params = network_params_and({
               intercept_info(),
               {"nu", "0.1", "0 .. 1e6", "exploration: factor of the draw's width; 0 is greedy"},
               {"ridge", "1", "> 0", "lambda of the ridge on the last layer: larger means smaller weights and widths"},
               joint_draw_info(),
               propensity_draws_info(),
           }),
           .presets = network_presets_and({{"tuned", {{"intercept", "true"}}}}),
           .default_preset = "tuned"},
          &make, false, least_network_state};
}

}  // namespace neuralts
