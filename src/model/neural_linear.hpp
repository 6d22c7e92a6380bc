// The neural-linear belief: exact ridge regression on the last hidden layer of a trained network.
//
// The feature of a context is the network's tangent feature of its last layer: scale * a_{L-1}, and scale itself where there are
// biases. A training moves all features: the ridge is then built anew from the history, O(n m^2); between trainings a round
// costs O(m^2).
#pragma once

#include "model/ensemble.hpp"
#include "model/joint_belief.hpp"
#include "model/ridge.hpp"

namespace neuralts {

template <class T>
class NeuralLinearBelief final : public JointBelief {
 public:
  /// `lambda`: of the ridge. REQUIRES lambda > 0.
  NeuralLinearBelief(const FitSettings& fit, double lambda);

  void predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean, std::span<double> width) const override;
  void learn(std::span<const Finished> rounds) override;
  std::size_t memory() const override { return network_.memory() + ridge_.memory(); }
  void save(Writer& out) const override;
  void load(Reader& in) override;

  std::size_t rank() const override { return ridge_.size(); }
  void predict_joint(const Contexts& contexts, Scratch& scratch, std::span<double> mean, std::span<double> width,
                     std::span<double> factors) const override;

 private:
  void features(const Batch<T>& batch, Scratch& scratch, std::span<double> out) const;
  void add(const Batch<T>& batch, const T* rewards);
  void rebuild();

  Ensemble<T> network_;  // of one
  Ridge ridge_;
  Scratch scratch_;
};

}  // namespace neuralts
