// How a design takes in rounds: by their tangent features at a network's weights, a panel of rounds at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/neural_predictor.hpp"
#include "model/observations.hpp"
#include "model/row_walk.hpp"

namespace neuralts {

/// T: float or double. Holds the memory of a panel between calls, nothing else.
template <class T>
class DesignGrowth {
 public:
  explicit DesignGrowth(const NetworkShape& shape) : shape_(shape) {}

  /// Takes the memory for so many rounds at once: where their features are concerned, add() takes none then.
  void reserve(std::size_t rounds);
  /// `to` grows by the rounds that weigh something, as `at` sees them.
  void add(Posterior<T>& to, const NeuralPredictor<T>& at, std::span<const Finished> rounds);
  /// By rows of a history that lies on the scale in force.
  void add(Posterior<T>& to, const NeuralPredictor<T>& at, const Observations<T>& seen, const RowWalk::Rows& rows);
  /// The square of one context's features; not finite where it is more than a double holds.
  double square(const NeuralPredictor<T>& at, const Slice& context);

 private:
  Features<T> features(const Network<T>& network, const Batch<T>& batch, const T* weights);
  void begin_panel();

  NetworkShape shape_;
  std::vector<T> row_, feature_, weights_;
  std::vector<std::uint32_t> blocks_;
};

}  // namespace neuralts
