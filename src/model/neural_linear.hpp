// The neural-linear belief: exact ridge regression on the last hidden layer of a trained network.
//
// The feature of a context is the network's tangent feature of its last layer: scale * a_{L-1}, and scale
// itself where there are biases. A training moves all features: the ridge is then built anew from the history,
// O(n m^2); between trainings a round costs O(m^2).
#pragma once

#include "model/ensemble.hpp"
#include "model/ridge.hpp"

namespace neuralts {

/// What a decision needs: the network up to its last layer, and the ridge on it.
template <class T>
class NeuralLinearPredictor final : public JointPredictor {
 public:
  NeuralLinearPredictor(const EnsembleSettings& settings, double lambda);
  NeuralLinearPredictor(const EnsemblePredictor<T>& network, const Ridge& ridge)
      : network_(network), ridge_(ridge) {}

  void predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
               std::span<double> width) const override;
  std::size_t rank() const override { return ridge_.size(); }
  void predict_joint(const Contexts& contexts, Scratch& scratch, std::span<double> mean, std::span<double> width,
                     std::span<double> factors) const override;
  void save(Writer& out) const override;
  void load(Reader& in);

  // The learner's side.
  void set_network(const EnsemblePredictor<T>& network) { network_ = network; }
  const EnsemblePredictor<T>& network() const { return network_; }
  Ridge& ridge() { return ridge_; }
  const Ridge& ridge() const { return ridge_; }
  /// The features of a batch, rank() numbers each.
  void features(const Batch<T>& batch, Scratch& scratch, std::span<double> out) const;

 private:
  EnsemblePredictor<T> network_;  // of one
  Ridge ridge_;
};

template <class T>
class NeuralLinearBelief final : public Belief {
 public:
  /// `lambda`: of the ridge. REQUIRES lambda > 0.
  NeuralLinearBelief(const FitSettings& fit, double lambda);

  const NeuralLinearPredictor<T>& predictor() const override { return known_; }
  std::shared_ptr<const Predictor> snapshot() const override {
    return std::make_shared<NeuralLinearPredictor<T>>(known_);
  }
  std::shared_ptr<const Predictor> read_predictor(Reader& in) const override;

  void observe(std::span<const Finished> rounds) override;
  bool training_due() const override { return network_.training_due(); }
  void prepare_training(std::vector<TrainJob>& jobs) override { network_.prepare_training(jobs); }
  void finish_training() override;
  bool retain(const Retention& retention) override;

  std::size_t memory() const override { return network_.memory() + known_.ridge().memory(); }
  void save(Writer& out) const override;
  void load(Reader& in) override;

 private:
  void add(const Batch<T>& batch, const T* rewards, const T* weights, Ridge& ridge);
  void rebuild();
  Ridge ridge_of_all();
  void make_room(const Finished& round);

  EnsembleSettings settings_;
  double lambda_;
  Ensemble<T> network_;  // of one
  NeuralLinearPredictor<T> known_;
  bool behind_ = false;  // the ridge is not that of all rounds at the network's weights
  Scratch scratch_;
};

}  // namespace neuralts
