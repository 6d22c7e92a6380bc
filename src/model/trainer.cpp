#include "model/trainer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/simd.hpp"
#include "model/row_span.hpp"

namespace neuralts {

namespace {

constexpr std::size_t tile = 64;  // rounds whose activations and signals stay in cache together

}  // namespace

// One sweep over rounds, a tile at a time: forward, residual, backward, gradient.
template <class T>
struct Trainer<T>::Pass {
  const Network<T>& network;
  T weight;     // of the loss
  T* gradient;  // null: only |g|^2 is wanted
  T *inputs, *signals, *out;    // of a tile
  double loss = 0, square = 0;  // of the residuals; of the tangent features

  Pass(const Network<T>& net, T loss_weight, T* into, std::vector<T>& work) : network(net), weight(loss_weight), gradient(into) {
    const std::size_t layers = net.shape().hidden() * tile * net.shape().units;
    work.resize(2 * layers + tile);
    inputs = work.data();
    signals = inputs + layers;
    out = signals + layers;
  }

  // REQUIRES batch.n <= tile.
  void add(const Batch<T>& batch, const T* rewards, const T* round_weights) {
    network.forward(batch, inputs, out);
    weigh_residuals(batch.n, rewards, round_weights);
    network.backward(batch.n, inputs, out, signals);
    network.accumulate({batch, inputs, signals}, out, gradient);
  }

  // The same for rows row .. row + n of block k, with layer 1 in the span. REQUIRES n <= tile.
  void add(RowSpan<T>& span, std::size_t k, std::size_t row, std::size_t n, const T* rewards, const T* round_weights) {
    const std::size_t m = network.shape().units;
    span.products(k, row, n, inputs);
    network.forward_from_products(n, inputs, out);
    weigh_residuals(n, rewards, round_weights);
    network.backward(n, inputs, out, signals);
    network.accumulate_above(n, inputs, signals, out, gradient);
    std::copy_n(signals, n * m, span.signals(k) + row * m);
  }

  // out: from predictions to weights of the rounds' gradients.
  void weigh_residuals(std::size_t n, const T* rewards, const T* round_weights) {
    for (std::size_t i = 0; i < n; ++i) {
      const T residual = out[i] - rewards[i];
      out[i] = weight * residual * (round_weights == nullptr ? 1 : round_weights[i]);
      loss += static_cast<double>(out[i]) * static_cast<double>(residual) / 2;
    }
  }

  void measure(const Batch<T>& batch) {
    network.forward(batch, inputs, out);
    network.backward(batch.n, inputs, nullptr, signals);
    for (std::size_t i = 0; i < batch.n; ++i) square += tangent_square(network.shape(), Features<T>{batch, inputs, signals}, i);
  }
};

template <class T>
Trainer<T>::Trainer(const TrainerSettings& settings, const Network<T>& initial, std::uint64_t seed)
    : settings_(settings), stream_(seed, Purpose::training) {
  restart(initial);
}

template <class T>
void Trainer<T>::restart(const Network<T>& initial) {
  theta0_.assign(initial.theta().begin(), initial.theta().end());
  gradient_.assign(theta0_.size(), 0);
  first_.assign(settings_.optimiser == Optimiser::descent ? 0 : theta0_.size(), 0);
  second_.assign(settings_.optimiser == Optimiser::adam ? theta0_.size() : 0, 0);
  steps_ = 0;
}

namespace {

// Calls visit(batch, first row) for every tile of every block.
template <class T, class Visit>
void for_each_tile(const History<T>& history, Visit&& visit) {
  const std::size_t d = history.shape().length;
  std::array<std::uint32_t, tile> blocks;
  for (std::size_t k = 0; k < history.blocks().size(); ++k) {
    const auto& block = history.blocks()[k];
    blocks.fill(static_cast<std::uint32_t>(k));
    for (std::size_t row = 0; row < block.rows(); row += tile)
      visit(Batch<T>{std::min(tile, block.rows() - row), block.x.data() + row * d, d, blocks.data()}, k, row);
  }
}

}  // namespace

template <class T>
void Trainer<T>::add_all(Pass& pass, const History<T>& history, const RoundWeights<T>& weights) {
  for_each_tile(history, [&](const Batch<T>& batch, std::size_t k, std::size_t row) {
    pass.add(batch, history.blocks()[k].rewards.data() + row, weights.empty() ? nullptr : weights[k].data() + row);
  });
}

template <class T>
void Trainer<T>::add_sample(Pass& pass, const History<T>& history, const RoundWeights<T>& weights) {
  struct Place {
    std::uint32_t block, row;
    bool operator<(const Place& other) const { return block < other.block; }
  };
  const std::size_t d = history.shape().length;
  std::vector<Place> places(settings_.batch);
  for (auto& place : places) {
    std::uint64_t at = stream_.below(history.size());
    place.block = 0;
    while (at >= history.blocks()[place.block].rows()) at -= history.blocks()[place.block++].rows();
    place.row = static_cast<std::uint32_t>(at);
  }
  std::stable_sort(places.begin(), places.end());  // rounds of one block share its weights
  std::vector<T> x(tile * d);
  std::array<T, tile> rewards, round_weights;
  std::array<std::uint32_t, tile> blocks;
  for (std::size_t start = 0; start < places.size(); start += tile) {
    const std::size_t n = std::min(tile, places.size() - start);
    for (std::size_t i = 0; i < n; ++i) {
      const auto [block, row] = places[start + i];
      const auto& from = history.blocks()[block];
      std::copy_n(from.x.begin() + static_cast<std::ptrdiff_t>(row * d), d, x.begin() + static_cast<std::ptrdiff_t>(i * d));
      rewards[i] = from.rewards[row];
      round_weights[i] = weights.empty() ? 1 : weights[block][row];
      blocks[i] = block;
    }
    pass.add({n, x.data(), d, blocks.data()}, rewards.data(), round_weights.data());
  }
}

template <class T>
double Trainer<T>::gradient(const Network<T>& network, const History<T>& history, const RoundWeights<T>& weights) {
  std::fill(gradient_.begin(), gradient_.end(), T(0));
  const double n = static_cast<double>(history.size());
  const bool sampled = settings_.batch > 0 && settings_.batch < history.size();
  const double per_round = settings_.mean_loss ? 2 / n : 1;
  Pass pass(network, static_cast<T>(sampled ? per_round * n / static_cast<double>(settings_.batch) : per_round), gradient_.data(), work_);
  sampled ? add_sample(pass, history, weights) : add_all(pass, history, weights);
  return pass.loss;
}

template <class T>
double Trainer<T>::measured_step(const Network<T>& network, const History<T>& history, double decay) {
  Pass pass(network, 1, nullptr, work_);
  for_each_tile(history, [&](const Batch<T>& batch, std::size_t, std::size_t) { pass.measure(batch); });
  const double weight = settings_.mean_loss ? 2 / static_cast<double>(history.size()) : 1;
  return 1 / (decay + weight * pass.square);
}

template <class T>
bool Trainer<T>::small_gradient(const Network<T>& network, double decay) const {
  if (settings_.tolerance <= 0) return false;
  double square = 0;
  for (std::size_t i = 0; i < gradient_.size(); ++i) {
    const double anchor = settings_.anchor == Anchor::initial ? static_cast<double>(theta0_[i]) : 0.0;
    const double g = static_cast<double>(gradient_[i]) + decay * (static_cast<double>(network.theta()[i]) - anchor);
    square += g * g;
  }
  return std::sqrt(square) < settings_.tolerance;
}

template <class T>
void Trainer<T>::step(Network<T>& network, double length, double decay, std::size_t from) {
  const std::size_t size = theta0_.size() - from;
  T* const theta = network.mutable_theta().data() + from;
  const T* const grad = gradient_.data() + from;
  const T* const pulls_to = anchor() == nullptr ? nullptr : anchor() + from;
  const T pull = static_cast<T>(decay), beta = static_cast<T>(settings_.momentum);
  ++steps_;
  switch (settings_.optimiser) {
    case Optimiser::descent:
      math::descent_step<T>(size, theta, grad, static_cast<T>(length), pull, pulls_to);
      break;
    case Optimiser::momentum:
      math::momentum_step<T>(size, theta, grad, first_.data() + from, static_cast<T>(length), beta, pull, pulls_to);
      break;
    case Optimiser::adam: {
      constexpr double beta2 = 0.999, epsilon = 1e-8;
      const double k = static_cast<double>(steps_), second = std::sqrt(1 - std::pow(beta2, k));
      const double corrected = length * second / (1 - std::pow(settings_.momentum, k));
      math::adam_step<T>(size, theta, grad, first_.data() + from, second_.data() + from, static_cast<T>(corrected), beta,
                         static_cast<T>(beta2), static_cast<T>(epsilon * second), pull, pulls_to);
      break;
    }
  }
  network.refresh();
}

template <class T>
void Trainer<T>::forget_moments() {
  std::fill(first_.begin(), first_.end(), T(0));
  std::fill(second_.begin(), second_.end(), T(0));
  steps_ = 0;
}

template <class T>
std::size_t Trainer<T>::train(Network<T>& network, const History<T>& history, const RoundWeights<T>& weights) {
  if (history.size() == 0) return 0;
  const std::vector<T> before(network.theta().begin(), network.theta().end());
  const std::size_t steps = fit(network, history, weights);
  if (std::all_of(network.theta().begin(), network.theta().end(), [](T value) { return std::isfinite(value); })) return steps;
  std::copy(before.begin(), before.end(), network.mutable_theta().begin());
  network.refresh();
  forget_moments();
  ++diverged_;
  return 0;
}

template <class T>
std::size_t Trainer<T>::fit(Network<T>& network, const History<T>& history, const RoundWeights<T>& weights) {
  if (!settings_.warm) std::copy(theta0_.begin(), theta0_.end(), network.mutable_theta().begin());
  network.refresh();
  if (!settings_.keep_moments || !settings_.warm) forget_moments();
  const double decay = settings_.decay_over_n ? settings_.decay / static_cast<double>(history.size()) : settings_.decay;
  const double length = settings_.step > 0 ? settings_.step : measured_step(network, history, decay);
  if (spans() && span_pays(network.shape(), history, settings_.iterations)) return train_in_span(network, history, weights, length, decay);
  for (std::size_t j = 0; j < settings_.iterations; ++j) {
    gradient(network, history, weights);
    if (small_gradient(network, decay)) return j;
    step(network, length, decay, 0);
  }
  return settings_.iterations;
}

template <class T>
std::size_t Trainer<T>::train_in_span(Network<T>& network, const History<T>& history, const RoundWeights<T>& weights, double length, double decay) {
  const std::size_t above = network.shape().first(network.shape().input.blocks);
  const double momentum = settings_.optimiser == Optimiser::momentum ? settings_.momentum : 0;
  const double weight = settings_.mean_loss ? 2 / static_cast<double>(history.size()) : 1;
  RowSpan<T> span(network, history, anchor());
  Pass pass(network, static_cast<T>(weight), gradient_.data(), work_);
  for (std::size_t j = 0; j < settings_.iterations; ++j) {
    std::fill(gradient_.begin() + static_cast<std::ptrdiff_t>(above), gradient_.end(), T(0));
    for_each_tile(history, [&](const Batch<T>& batch, std::size_t k, std::size_t row) {
      pass.add(span, k, row, batch.n, history.blocks()[k].rewards.data() + row, weights.empty() ? nullptr : weights[k].data() + row);
    });
    span.step(static_cast<T>(length), static_cast<T>(momentum), static_cast<T>(decay));
    step(network, length, decay, above);
  }
  span.finish(network);
  return settings_.iterations;
}

template <class T>
void Trainer<T>::save(Writer& out) const {
  out.values(theta0_);
  out.values(first_);
  out.values(second_);
  out.value(steps_);
  out.value(stream_.state());
  out.value<std::uint64_t>(diverged_);
}

template <class T>
void Trainer<T>::load(Reader& in) {
  theta0_ = in.values<T>(theta0_.size());
  first_ = in.values<T>(first_.size());
  second_ = in.values<T>(second_.size());
  steps_ = in.value<std::uint64_t>();
  stream_ = Stream(in.value<Stream::State>());
  diverged_ = in.value<std::uint64_t>();
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace neuralts
