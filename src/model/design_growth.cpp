#include "model/design_growth.hpp"

#include <algorithm>

namespace neuralts {

namespace {

constexpr std::size_t panel = RowWalk::panel;

}  // namespace

template <class T>
void DesignGrowth<T>::reserve(std::size_t rounds) {
  const std::size_t layers = shape_.hidden() * shape_.units;
  row_.reserve(panel * shape_.input.length);
  feature_.reserve(std::min(panel, rounds) * (2 * layers + 1));
  weights_.reserve(panel);
  blocks_.reserve(panel);
}

template <class T>
void DesignGrowth<T>::begin_panel() {
  blocks_.clear();
  weights_.clear();
}

template <class T>
void DesignGrowth<T>::add(Posterior<T>& to, const NeuralPredictor<T>& at, std::span<const Finished> rounds) {
  const std::size_t d = shape_.input.length;
  begin_panel();
  row_.resize(panel * d);
  const auto flush = [&] {
    const Batch<T> batch{blocks_.size(), row_.data(), d, blocks_.data()};
    if (batch.n > 0) to.grow(features(at.network(), batch, weights_.data()));
    begin_panel();
  };
  for (const Finished& round : rounds) {
    if (round.weight == 0) continue;
    at.scaling().map(round.context.values, row_.data() + blocks_.size() * d);
    blocks_.push_back(static_cast<std::uint32_t>(round.context.block));
    weights_.push_back(static_cast<T>(round.weight));
    if (blocks_.size() == panel) flush();
  }
  flush();
}

template <class T>
void DesignGrowth<T>::add(Posterior<T>& to, const NeuralPredictor<T>& at, const Observations<T>& seen,
                          const RowWalk::Rows& rows) {
  const std::size_t d = shape_.input.length;
  const bool weighted = !seen.weights().empty();
  blocks_.assign(rows.count, static_cast<std::uint32_t>(rows.block));
  weights_.clear();
  for (std::size_t i = 0; weighted && i < rows.count; ++i)
    weights_.push_back(seen.weights()[rows.block][rows.first + i * rows.stride]);
  const T* const x = seen.history().blocks()[rows.block].x.data() + rows.first * d;
  const Batch<T> batch{rows.count, x, rows.stride * d, blocks_.data()};
  to.grow(features(at.network(), batch, weighted ? weights_.data() : nullptr));
}

template <class T>
double DesignGrowth<T>::square(const NeuralPredictor<T>& at, const Slice& context) {
  const auto block = static_cast<std::uint32_t>(context.block);
  row_.resize(shape_.input.length);
  at.scaling().map(context.values, row_.data());
  const Batch<T> batch{1, row_.data(), row_.size(), &block};
  return tangent_square(shape_, features(at.network(), batch, nullptr), 0);
}

template <class T>
Features<T> DesignGrowth<T>::features(const Network<T>& network, const Batch<T>& batch, const T* weights) {
  const std::size_t layers = batch.n * shape_.hidden() * shape_.units;
  feature_.resize(2 * layers + batch.n);
  network.forward(batch, feature_.data(), feature_.data() + 2 * layers);
  network.backward(batch.n, feature_.data(), nullptr, feature_.data() + layers);
  return {batch, feature_.data(), feature_.data() + layers, weights};
}

template class DesignGrowth<float>;
template class DesignGrowth<double>;

}  // namespace neuralts
