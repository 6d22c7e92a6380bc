// One network, epsilon-greedy: what a posterior has to beat.
#include "policy/ensemble_policy.hpp"
#include "policy/registry.hpp"
#include "policy/rule.hpp"

namespace neuralts {

namespace {

template <class T>
class NeuralGreedy final : public EnsemblePolicy<T> {
 public:
  NeuralGreedy(const PolicySpec& spec, const Settings& settings)
      : EnsemblePolicy<T>(spec, settings, {read_fit_without_design(settings, spec), 1, settings.number("keep")}),
        epsilon_(settings.number("epsilon")), decay_(settings.number("epsilon-decay")) {}

 protected:
  void do_select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const override {
    this->ensemble_.predict(0, this->ensemble_.observations().map(contexts, scratch), scratch, out.mean);
    choose_epsilon_greedy(epsilon_ / (1 + decay_ * static_cast<double>(this->ensemble_.rounds())), explore, out);
  }

 private:
  double epsilon_, decay_;
};

}  // namespace

PolicyEntry neural_greedy_entry() {
  return {{.name = "neural-greedy",
           .summary = "a network's best arm, and any arm with probability epsilon",
           .reference = "the epsilon-greedy baseline of Zhang, Zhou, Li, Gu: Neural Thompson Sampling, ICLR 2021",
           .params = network_params_and({
               {"epsilon", "0.05", "0 .. 1", "probability of a uniform choice; larger explores more, for ever unless it decays"},
               {"epsilon-decay", "0", "0 .. 1e6", "epsilon / (1 + epsilon-decay * t) after t finished rounds; 0 keeps it fixed"},
               {"keep", "1", "0 .. 1", "probability with which a round is kept for training, as the released program drops some"},
           }),
           .presets = network_presets_and({{"released", {{"decay", "0"}}}, {"tuned", {{"epsilon-decay", "0.01"}}}}),
           .default_preset = "tuned"},
          &make_in_precision<NeuralGreedy>};
}

}  // namespace neuralts
