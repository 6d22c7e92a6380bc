// What a decision needs of the neural belief: a network for the mean, its tangent features' posterior for the
// width.
#pragma once

#include <memory>

#include "model/posterior.hpp"
#include "model/standardiser.hpp"
#include "neuralts/belief.hpp"

namespace neuralts {

/// T: float or double, of the network and the features.
template <class T>
class NeuralPredictor final : public Predictor {
 public:
  NeuralPredictor(Network<T> network, std::unique_ptr<Posterior<T>> posterior);
  NeuralPredictor(const NeuralPredictor& other);

  void predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
               std::span<double> width) const override;
  /// The same, of contexts that scaling() has mapped already.
  void predict(const Contexts& contexts, const Batch<T>& mapped, Scratch& scratch, std::span<double> mean,
               std::span<double> width) const;
  void save(Writer& out) const override;
  void load(Reader& in);

  const Network<T>& network() const { return network_; }
  const Posterior<T>& posterior() const { return *posterior_; }
  const Scaling<T>& scaling() const { return scaling_; }
  std::size_t memory() const { return posterior_->memory() + network_.theta().size() * sizeof(T); }

  /// For one that learns no more: see Posterior.
  void prepare() { posterior_->prepare(); }

  // The learner's side.
  Network<T>& network() { return network_; }
  Posterior<T>& posterior() { return *posterior_; }
  void set_scaling(const Scaling<T>& scaling) { scaling_ = scaling; }
  void set_posterior(std::unique_ptr<Posterior<T>> posterior) { posterior_ = std::move(posterior); }
  /// What multiplies every width.
  void set_width_factor(double factor) { width_factor_ = factor; }

 private:
  std::size_t together(const Contexts& contexts, const Posterior<T>& posterior) const;
  void predict(const Posterior<T>& posterior, const Batch<T>& batch, Scratch& scratch, std::span<double> mean,
               std::span<double> width) const;

  Network<T> network_;
  std::unique_ptr<Posterior<T>> posterior_;
  Scaling<T> scaling_;
  double width_factor_ = 1;
};

}  // namespace neuralts
