// Bootstrapped networks: each has seen its own share of the rounds; a random one decides.
#include <algorithm>

#include "model/ensemble.hpp"
#include "policy/forget_param.hpp"
#include "policy/network_params.hpp"
#include "policy/registry.hpp"
#include "neuralts/rule.hpp"

namespace neuralts {

namespace {

template <class T>
class BootstrapModel final : public ModelOverPredictor<EnsemblePredictor<T>> {
 public:
  BootstrapModel(std::shared_ptr<const ModelHead> head, std::shared_ptr<const Predictor> known)
      : ModelOverPredictor<EnsemblePredictor<T>>(std::move(head), std::move(known)) {}

 protected:
  // Every member votes with its best arms, ties shared; mean and width are those of the members' predictions.
  void do_select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const override {
    const EnsemblePredictor<T>& ensemble = this->known();
    const std::size_t members = ensemble.size(), arms = contexts.arms(), chosen = explore.below(members);
    const Batch<T> batch = ensemble.scaling().map(contexts, scratch);
    const auto predictions = scratch.take<double>(members * arms);
    for (std::size_t i = 0; i < members; ++i) {
      const auto mine = predictions.subspan(i * arms, arms);
      ensemble.predict(i, batch, scratch, mine);
      vote(mine, 1.0 / static_cast<double>(members), out.probabilities);
    }
    summarise(predictions, members, out.mean, out.width);
    std::copy_n(predictions.begin() + static_cast<std::ptrdiff_t>(chosen * arms), arms, out.score.begin());
    out.arm = draw_among_best(out.score, explore);
    out.probability = out.probabilities[out.arm];
  }

 private:
  static void vote(std::span<const double> predictions, double weight, std::span<double> probabilities) {
    const double best = *std::max_element(predictions.begin(), predictions.end());
    const double share = weight / static_cast<double>(std::count(predictions.begin(), predictions.end(), best));
    for (std::size_t k = 0; k < predictions.size(); ++k)
      if (predictions[k] == best) probabilities[k] += share;
  }
};

template <class T>
std::unique_ptr<Learner> make_in(const PolicySpec& spec, const Settings& settings) {
  const EnsembleSettings ensemble{read_fit_without_design(settings, spec), settings.count("members"),
                                  settings.number("keep")};
  return make_belief_learner(
      spec, settings.values(),
      make_forgetting(std::make_unique<Ensemble<T>>(ensemble), read_forget(settings), spec.shape),
      [](auto head, auto known) {
        return std::make_unique<BootstrapModel<T>>(std::move(head), std::move(known));
      });
}

}  // namespace

PolicyEntry bootstrap_entry() {
  return {{.name = "bootstrap-nn",
           .summary = "networks that have each seen a random share of the rounds; a random one picks its best arm",
           .reference = "Osband, Blundell, Pritzel, Van Roy: Deep Exploration via Bootstrapped DQN, NeurIPS 2016",
           .params = network_params_and({
               intercept_info(),
               {"members", "10", "1 .. 1000", "networks; more give finer probabilities, time and memory grow in proportion"},
               {"keep", "0.8", "0 .. 1", "probability with which a network keeps a round; smaller makes them differ more and explores more"},
           }),
           .presets = network_presets_and({{"released", {{"decay", "0"}}}, {"tuned", {{"intercept", "true"}}}}),
           .default_preset = "tuned"},
          &make_in_precision<make_in<float>, make_in<double>>, false, least_network_state};
}

}  // namespace neuralts
