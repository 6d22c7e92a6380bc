#include "model/neural_linear.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>

#include "math/simd.hpp"

namespace neuralts {

namespace {
constexpr std::size_t tile = 64;
}

template <class T>
NeuralLinearPredictor<T>::NeuralLinearPredictor(const EnsembleSettings& settings, double lambda)
    : network_(settings), ridge_(settings.fit.shape.units + (settings.fit.shape.biases ? 1 : 0), lambda) {}

template <class T>
void NeuralLinearPredictor<T>::features(const Batch<T>& batch, Scratch& scratch, std::span<double> out) const {
  const NetworkShape& shape = network_.shape();
  const std::size_t m = shape.units, layer = batch.n * m;
  const auto inputs = scratch.take<T>(layer * shape.hidden()), f = scratch.take<T>(batch.n);
  network_.network(0).forward(batch, inputs.data(), f.data());
  const T* last = inputs.data() + layer * (shape.hidden() - 1);
  for (std::size_t k = 0; k < batch.n; ++k, last += m) {
    const auto feature = out.subspan(k * rank(), rank());
    std::transform(last, last + m, feature.begin(), [&](T a) { return shape.scale * static_cast<double>(a); });
    if (shape.biases) feature[m] = shape.scale;
  }
}

template <class T>
void NeuralLinearPredictor<T>::predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
                                       std::span<double> width) const {
  const auto all = width.empty() ? scratch.take<double>(mean.size()) : width;
  predict_joint(contexts, scratch, mean, all, scratch.take<double>(mean.size() * rank()));
}

template <class T>
void NeuralLinearPredictor<T>::predict_joint(const Contexts& contexts, Scratch& scratch,
                                             std::span<double> mean, std::span<double> width,
                                             std::span<double> factors) const {
  const Scaling<T>& scaling = network_.scaling();
  const auto phi = scratch.take<double>(contexts.arms() * rank());
  features(scaling.map(contexts, scratch), scratch, phi);
  ridge_.project_rows(contexts.arms(), phi.data(), rank(), scratch, factors.data());
  for (std::size_t k = 0; k < contexts.arms(); ++k) {
    const auto feature = phi.subspan(k * rank(), rank()), z = factors.subspan(k * rank(), rank());
    mean[k] = scaling.mean(ridge_.mean(feature));
    for (double& value : z) value = scaling.width(value);
    width[k] = std::sqrt(math::dot(z.size(), z.data(), z.data()));
  }
}

template <class T>
void NeuralLinearPredictor<T>::save(Writer& out) const {
  network_.save(out);
  ridge_.save(out);
}

template <class T>
void NeuralLinearPredictor<T>::load(Reader& in) {
  network_.load(in);
  ridge_.load(in);
}

template <class T>
NeuralLinearBelief<T>::NeuralLinearBelief(const FitSettings& fit, double lambda)
    : settings_{.fit = fit}, lambda_(lambda), network_(settings_), known_(settings_, lambda) {
  known_.set_network(network_.predictor());  // its scaling
}

template <class T>
std::shared_ptr<const Predictor> NeuralLinearBelief<T>::read_predictor(Reader& in) const {
  auto read = std::make_shared<NeuralLinearPredictor<T>>(settings_, lambda_);
  read->load(in);
  return read;
}

// A training builds the ridge from the whole history: rounds that wait for one need no second place.
template <class T>
void NeuralLinearBelief<T>::observe(std::span<const Finished> rounds) {
  const Scaling<T>& scaling = known_.network().scaling();
  make_room(rounds.front());
  try {
    network_.observe(rounds);
  } catch (...) {
    known_.ridge().end_unless_used();
    throw;
  }
  if (network_.training_due()) return known_.ridge().end_unless_used();
  if (behind_) return rebuild();
  for (const Finished& round : rounds) {
    const auto block = static_cast<std::uint32_t>(round.context.block);
    const T reward = scaling.map_reward(round.reward), weight = static_cast<T>(round.weight);
    scratch_.reset();
    add(scaling.map(Contexts::disjoint(round.context.values, std::span(&block, 1)), scratch_), &reward,
        &weight, known_.ridge());
  }
  known_.ridge().solve();
}

// What add() of a round takes.
template <class T>
void NeuralLinearBelief<T>::make_room(const Finished& round) {
  const auto block = static_cast<std::uint32_t>(round.context.block);
  const std::size_t rank = known_.rank();
  scratch_.reset();
  const Batch<T> batch = known_.network().scaling().map(
      Contexts::disjoint(round.context.values, std::span(&block, 1)), scratch_);
  const auto phi = scratch_.take<double>(rank);
  scratch_.take<double>(rank);
  known_.features(batch, scratch_, phi);
  known_.ridge().begin();
}

template <class T>
void NeuralLinearBelief<T>::finish_training() {
  network_.finish_training();
  known_.set_network(network_.predictor());
  rebuild();
}

template <class T>
bool NeuralLinearBelief<T>::retain(const Retention& retention) {
  if (!network_.retain(retention)) return false;
  if (!network_.training_due()) rebuild();
  return true;
}

template <class T>
void NeuralLinearBelief<T>::add(const Batch<T>& batch, const T* rewards, const T* weights, Ridge& ridge) {
  const std::size_t rank = known_.rank();
  const auto phi = scratch_.take<double>(batch.n * rank), work = scratch_.take<double>(rank);
  known_.features(batch, scratch_, phi);
  for (std::size_t i = 0; i < batch.n; ++i)
    if (const double weight = weights == nullptr ? 1 : static_cast<double>(weights[i]); weight > 0)
      ridge.add(phi.subspan(i * rank, rank), static_cast<double>(rewards[i]), weight, work);
}

// Where there is no memory for it the ridge stays as it is, and is built with the next rounds.
template <class T>
void NeuralLinearBelief<T>::rebuild() {
  try {
    known_.ridge() = ridge_of_all();
    behind_ = false;
  } catch (const std::bad_alloc&) {
    behind_ = true;
  }
}

template <class T>
Ridge NeuralLinearBelief<T>::ridge_of_all() {
  Ridge ridge(known_.rank(), lambda_);
  const History<T>& history = network_.history();
  const std::size_t d = history.shape().length;
  std::array<std::uint32_t, tile> blocks;
  for (std::size_t k = 0; k < history.blocks().size(); ++k) {
    const auto& block = history.blocks()[k];
    blocks.fill(static_cast<std::uint32_t>(k));
    for (std::size_t row = 0; row < block.rows(); row += tile) {
      scratch_.reset();
      add({std::min(tile, block.rows() - row), block.x.data() + row * d, d, blocks.data()},
          block.rewards.data() + row,
          network_.weights().empty() ? nullptr : network_.weights()[k].data() + row, ridge);
    }
  }
  ridge.solve();
  return ridge;
}

template <class T>
void NeuralLinearBelief<T>::save(Writer& out) const {
  network_.save(out);
  known_.save(out);
}

template <class T>
void NeuralLinearBelief<T>::load(Reader& in) {
  network_.load(in);
  known_.load(in);
}

template class NeuralLinearPredictor<float>;
template class NeuralLinearPredictor<double>;
template class NeuralLinearBelief<float>;
template class NeuralLinearBelief<double>;

}  // namespace neuralts
