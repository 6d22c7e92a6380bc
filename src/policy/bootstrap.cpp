// Bootstrapped networks: each has seen its own share of the rounds; a random one decides.
#include <algorithm>
#include <cmath>

#include "policy/ensemble_policy.hpp"
#include "policy/registry.hpp"
#include "policy/rule.hpp"

namespace neuralts {

namespace {

template <class T>
class Bootstrap final : public EnsemblePolicy<T> {
 public:
  Bootstrap(const PolicySpec& spec, const Settings& settings)
      : EnsemblePolicy<T>(spec, settings, {read_fit_without_design(settings, spec), settings.count("members"), settings.number("keep")}) {}

 protected:
  // Every member votes with its best arms, ties shared; mean and width are those of the members' predictions.
  void do_select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const override {
    const std::size_t members = this->ensemble_.size(), arms = contexts.arms(), chosen = explore.below(members);
    const Batch<T> batch = this->ensemble_.observations().map(contexts, scratch);
    const auto predictions = scratch.take<double>(members * arms);
    for (std::size_t i = 0; i < members; ++i) {
      const auto mine = predictions.subspan(i * arms, arms);
      this->ensemble_.predict(i, batch, scratch, mine);
      vote(mine, 1.0 / static_cast<double>(members), out.probabilities);
    }
    summarise(predictions, members, out);
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

  static void summarise(std::span<const double> predictions, std::size_t members, Decision& out) {
    const std::size_t arms = out.mean.size();
    const double weight = 1.0 / static_cast<double>(members);
    for (std::size_t k = 0; k < arms; ++k) {
      for (std::size_t i = 0; i < members; ++i) out.mean[k] += weight * predictions[i * arms + k];
      for (std::size_t i = 0; i < members; ++i) out.width[k] += weight * std::pow(predictions[i * arms + k] - out.mean[k], 2);
      out.width[k] = std::sqrt(out.width[k]);
    }
  }
};

}  // namespace

PolicyEntry bootstrap_entry() {
  return {{.name = "bootstrap-nn",
           .summary = "networks that have each seen a random share of the rounds; a random one picks its best arm",
           .reference = "Osband, Blundell, Pritzel, Van Roy: Deep Exploration via Bootstrapped DQN, NeurIPS 2016",
           .params = network_params_and({
               {"members", "10", "1 .. 1000", "networks; more give finer probabilities, time and memory grow in proportion"},
               {"keep", "0.8", "0 .. 1", "probability with which a network keeps a round; smaller makes them differ more and explores more"},
           }),
           .presets = network_presets_and({{"released", {{"decay", "0"}}}}),
           .default_preset = "tuned"},
          &make_in_precision<Bootstrap>};
}

}  // namespace neuralts
