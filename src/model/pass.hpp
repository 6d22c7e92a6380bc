// One sweep over rounds, a tile at a time: forward, residual, backward, gradient.
#pragma once

#include <vector>

#include "model/network.hpp"
#include "model/row_span.hpp"

namespace neuralts {

inline constexpr std::size_t tile = 64;  // rounds whose activations and signals stay in cache together

template <class T>
class Pass {
 public:
  double loss = 0, square = 0;  // of the residuals; of the tangent features

  // `gradient` null: only |g|^2 is wanted. `work` keeps its memory from one pass to the next.
  Pass(const Network<T>& network, T loss_weight, T* gradient, std::vector<T>& work)
      : network_(network), weight_(loss_weight), gradient_(gradient) {
    const std::size_t layers = network.shape().hidden() * tile * network.shape().units;
    work.resize(2 * layers + tile);
    inputs_ = work.data();
    signals_ = inputs_ + layers;
    out_ = signals_ + layers;
  }

  // REQUIRES batch.n <= tile.
  void add(const Batch<T>& batch, const T* rewards, const T* round_weights) {
    network_.forward(batch, inputs_, out_);
    weigh_residuals(batch.n, rewards, round_weights);
    network_.backward(batch.n, inputs_, out_, signals_);
    network_.accumulate({batch, inputs_, signals_}, out_, gradient_);
  }

  // The same for rows row .. row + n of block k, with layer 1 in the span. REQUIRES n <= tile.
  void add(RowSpan<T>& span, std::size_t k, std::size_t row, std::size_t n, const T* rewards,
           const T* round_weights) {
    const std::size_t m = network_.shape().units;
    span.products(k, row, n, inputs_);
    network_.forward_from_products(n, inputs_, out_);
    weigh_residuals(n, rewards, round_weights);
    network_.backward(n, inputs_, out_, signals_);
    network_.accumulate_above(n, inputs_, signals_, out_, gradient_);
    std::copy_n(signals_, n * m, span.signals(k) + row * m);
  }

  void measure(const Batch<T>& batch, const T* round_weights) {
    network_.forward(batch, inputs_, out_);
    network_.backward(batch.n, inputs_, nullptr, signals_);
    const Features<T> features{batch, inputs_, signals_, round_weights};
    for (std::size_t i = 0; i < batch.n; ++i)
      square += static_cast<double>(features.weight(i)) * tangent_square(network_.shape(), features, i);
  }

 private:
  // out: from predictions to weights of the rounds' gradients.
  void weigh_residuals(std::size_t n, const T* rewards, const T* round_weights) {
    for (std::size_t i = 0; i < n; ++i) {
      const T residual = out_[i] - rewards[i];
      out_[i] = weight_ * residual * (round_weights == nullptr ? 1 : round_weights[i]);
      loss += static_cast<double>(out_[i]) * static_cast<double>(residual) / 2;
    }
  }

  const Network<T>& network_;
  T weight_;  // of the loss
  T* gradient_;
  T *inputs_, *signals_, *out_;  // of a tile
};

}  // namespace neuralts
