#include "model/neural_predictor.hpp"

#include <algorithm>
#include <cmath>

namespace neuralts {

namespace {

// Who reads more than the cache holds goes through it forwards and backwards in turn, and finds there what it
// read last.
bool next_direction() {
  thread_local bool backwards = false;
  return backwards = !backwards;
}

}  // namespace

template <class T>
NeuralPredictor<T>::NeuralPredictor(Network<T> network, std::unique_ptr<Posterior<T>> posterior)
    : network_(std::move(network)), posterior_(std::move(posterior)), scaling_(network_.shape().input.length) {}

template <class T>
NeuralPredictor<T>::NeuralPredictor(const NeuralPredictor& other)
    : network_(other.network_),
      posterior_(other.posterior_->clone()),
      scaling_(other.scaling_),
      width_factor_(other.width_factor_) {}

template <class T>
void NeuralPredictor<T>::predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
                                 std::span<double> width) const {
  predict(contexts, scaling_.map(contexts, scratch), scratch, mean, width);
}

template <class T>
void NeuralPredictor<T>::predict(const Contexts& contexts, const Batch<T>& batch, Scratch& scratch,
                                 std::span<double> mean, std::span<double> width) const {
  const Posterior<T>& posterior = posterior_->form_for(contexts.arms());
  const std::size_t n = batch.n, some = together(contexts, posterior), parts = (n + some - 1) / some,
                    mark = scratch.mark();
  const bool backwards = parts > 1 && next_direction();
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t at = (backwards ? parts - 1 - i : i) * some, count = std::min(some, n - at);
    predict(posterior, Batch<T>{count, batch.x + at * batch.ldx, batch.ldx, batch.blocks + at}, scratch,
            mean.subspan(at, count), width.empty() ? width : width.subspan(at, count));
    scratch.rewind(mark);
  }
}

// Arms of a decision to be predicted together: all of them, where that reads less; otherwise as many as have
// their activations in the first-level caches, and one by one where they share neither weights nor widths and
// have more of both than the second holds.
template <class T>
std::size_t NeuralPredictor<T>::together(const Contexts& contexts, const Posterior<T>& posterior) const {
  constexpr std::size_t cache = std::size_t{1} << 20, tile = 128;
  const std::size_t arms = std::max<std::size_t>(contexts.arms(), 1);
  if (posterior.batching_helps()) return arms;
  const bool streams = arms * network_.shape().input.length * network_.shape().units * sizeof(T) > cache;
  return streams && contexts.shared() ? 1 : contexts.shared() ? arms : std::min(arms, tile);
}

template <class T>
void NeuralPredictor<T>::predict(const Posterior<T>& posterior, const Batch<T>& batch, Scratch& scratch,
                                 std::span<double> mean, std::span<double> width) const {
  const std::size_t n = batch.n, layers = n * network_.shape().hidden() * network_.shape().units;
  const auto inputs = scratch.take<T>(layers);
  const auto f = scratch.take<T>(n);
  network_.forward(batch, inputs.data(), f.data());
  for (std::size_t k = 0; k < n; ++k) mean[k] = scaling_.mean(static_cast<double>(f[k]));
  if (width.empty()) return;
  const auto signals = scratch.take<T>(layers);
  network_.backward(n, inputs.data(), nullptr, signals.data());
  posterior.variance({batch, inputs.data(), signals.data()}, scratch, width);
  for (double& w : width) w = width_factor_ * scaling_.width(std::sqrt(w));
}

template <class T>
void NeuralPredictor<T>::save(Writer& out) const {
  out.values(network_.theta());
  scaling_.save(out);
  posterior_->save(out);
  out.value(width_factor_);
}

template <class T>
void NeuralPredictor<T>::load(Reader& in) {
  const auto theta = in.values<T>(network_.theta().size());
  std::copy(theta.begin(), theta.end(), network_.mutable_theta().begin());
  network_.refresh();
  scaling_.load(in);
  posterior_->load(in);
  width_factor_ = in.value<double>();
}

template class NeuralPredictor<float>;
template class NeuralPredictor<double>;

}  // namespace neuralts
