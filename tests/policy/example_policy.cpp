// Boltzmann exploration on a linear belief: the larger an arm's believed reward, the likelier it is played.
#include <algorithm>
#include <cmath>

#include "model/linear.hpp"
#include "neuralts/extend.hpp"

namespace neuralts {

namespace {

class Softmax final : public Rule {
 public:
  explicit Softmax(double temperature) : temperature_(temperature) {}
  bool needs_width() const override { return false; }

  void choose(Stream& explore, Scratch&, Decision& out) const override {
    out.score = out.mean;
    const double best = *std::max_element(out.mean.begin(), out.mean.end());
    double total = 0;
    for (std::size_t k = 0; k < out.mean.size(); ++k)
      total += out.probabilities[k] = std::exp((out.mean[k] - best) / temperature_);
    for (double& p : out.probabilities) p /= total;
    double left = explore.uniform();
    for (out.arm = 0; out.arm + 1 < out.mean.size() && left >= out.probabilities[out.arm]; ++out.arm)
      left -= out.probabilities[out.arm];
    out.probability = out.probabilities[out.arm];
  }

 private:
  double temperature_;
};

std::unique_ptr<Learner> make(const PolicySpec& spec, const Settings& settings) {
  auto belief = std::make_unique<LinearBelief>(spec.shape, settings.number("lambda"));
  auto rule = std::make_unique<Softmax>(settings.number("temperature"));
  return make_belief_learner(spec, settings.values(), std::move(belief), std::move(rule));
}

}  // namespace

PolicyEntry linear_softmax_entry() {
  return {{.name = "linear-softmax",
           .summary = "ridge regression, plays an arm with probability proportional to exp(mean / temperature)",
           .reference = "Sutton: Integrated Architectures for Learning, Planning, and Reacting, ICML 1990",
           .params = {{"temperature", "0.1", "> 0", "larger plays more evenly, smaller more greedily"},
                      {"lambda", "1", "> 0", "ridge: larger holds the weights nearer to 0"}},
           .presets = {{"paper", {}}, {"released", {}}, {"tuned", {}}},
           .default_preset = "tuned"},
          &make};
}

}  // namespace neuralts
