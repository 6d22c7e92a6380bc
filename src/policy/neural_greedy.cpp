// One network, epsilon-greedy: what a posterior has to beat.
#include "model/ensemble.hpp"
#include "policy/forget_param.hpp"
#include "policy/network_params.hpp"
#include "policy/registry.hpp"
#include "neuralts/rule.hpp"

namespace neuralts {

namespace {

// epsilon / (1 + decay t)
struct Epsilon {
  double start, decay;
  double after(std::size_t rounds) const { return start / (1 + decay * static_cast<double>(rounds)); }
};

template <class T>
class GreedyModel final : public ModelOverPredictor<EnsemblePredictor<T>> {
 public:
  GreedyModel(std::shared_ptr<const ModelHead> head, std::shared_ptr<const Predictor> known, const Epsilon& epsilon)
      : ModelOverPredictor<EnsemblePredictor<T>>(std::move(head), std::move(known)), epsilon_(epsilon) {}

 protected:
  void do_select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const override {
    const EnsemblePredictor<T>& network = this->known();
    network.predict(0, network.scaling().map(contexts, scratch), scratch, out.mean);
    choose_epsilon_greedy(epsilon_.after(network.rounds()), explore, out);
  }

 private:
  Epsilon epsilon_;
};

template <class T>
std::unique_ptr<Learner> make_in(const PolicySpec& spec, const Settings& settings) {
  const Epsilon epsilon{settings.number("epsilon"), settings.number("epsilon-decay")};
  const EnsembleSettings one{read_fit_without_design(settings, spec), 1, settings.number("keep")};
  return make_belief_learner(
      spec, settings.values(),
      make_forgetting(std::make_unique<Ensemble<T>>(one), read_forget(settings), spec.shape),
      [epsilon](auto head, auto known) {
        return std::make_unique<GreedyModel<T>>(std::move(head), std::move(known), epsilon);
      });
}

}  // namespace

PolicyEntry neural_greedy_entry() {
  return {{.name = "neural-greedy",
           .summary = "a network's best arm, and any arm with probability epsilon",
           .reference = "the epsilon-greedy baseline of Zhang, Zhou, Li, Gu: Neural Thompson Sampling, ICLR 2021",
           .params = network_params_and({
               intercept_info(),
               {"epsilon", "0.05", "0 .. 1", "probability of a uniform choice; larger explores more, for ever unless it decays"},
               {"epsilon-decay", "0", "0 .. 1e6", "epsilon / (1 + epsilon-decay * t) after t finished rounds; 0 keeps it fixed"},
               {"keep", "1", "0 .. 1", "probability with which a round is kept for training, as the released program drops some"},
           }),
           .presets = network_presets_and({{"released", {{"decay", "0"}}}, {"tuned", {{"epsilon-decay", "0.01"}, {"intercept", "true"}}}}),
           .default_preset = "tuned"},
          &make_in_precision<make_in<float>, make_in<double>>, false, least_network_state};
}

}  // namespace neuralts
