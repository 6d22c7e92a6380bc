// What the policies on networks without a posterior share: they hold an ensemble and learn by training it.
#pragma once

#include "model/ensemble.hpp"
#include "policy/network_params.hpp"

namespace neuralts {

template <class T>
class EnsemblePolicy : public Policy {
 public:
  EnsemblePolicy(const PolicySpec& spec, const Settings& settings, const EnsembleSettings& ensemble)
      : Policy(spec, settings.values()), ensemble_(ensemble) {}

  std::size_t memory() const override { return ensemble_.memory(); }
  void save(Writer& out) const override { ensemble_.save(out); }
  void restore(Reader& in) override { ensemble_.load(in); }

 protected:
  void do_learn(std::span<const Finished> rounds) override { ensemble_.learn(rounds); }
  Ensemble<T> ensemble_;
};

/// PolicyOf<float> or PolicyOf<double>, as the key `precision` says.
template <template <class> class PolicyOf>
std::unique_ptr<Policy> make_in_precision(const PolicySpec& spec, const Settings& settings) {
  if (settings.is("precision", "float64")) return std::make_unique<PolicyOf<double>>(spec, settings);
  return std::make_unique<PolicyOf<float>>(spec, settings);
}

}  // namespace neuralts
