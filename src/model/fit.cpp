#include "model/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/parallel.hpp"
#include "math/simd.hpp"
#include "model/mini_batch.hpp"
#include "model/pass.hpp"
#include "model/row_span.hpp"

namespace neuralts {

namespace {

// Rounds whose gradient one thread sums before the sums are added, in their order: what makes a result
// independent of the number of threads, and the largest history that is one sum.
constexpr std::size_t part_rounds = 160 * tile;

struct Tile {
  std::uint32_t block;
  std::size_t row, rows;
};

template <class T>
class Fit {
 public:
  Fit(FitJob<T>& job, const Training& how)
      : network_(*job.network),
        history_(*job.history),
        settings_(*job.settings),
        state_(*job.state),
        how_(how),
        weights_(job.weights != nullptr && !job.weights->empty() ? job.weights : nullptr),
        rounds_(job.rounds > 0 ? job.rounds : static_cast<double>(job.history->size())),
        gradient_(network_.theta().size()) {
    sample_.resize(settings_.batch > 0 ? tile * history_.shape().length : 0);
    if (sampled() && settings_.step > 0) return;  // no step goes over all rounds
    for (std::size_t k = 0; k < history_.blocks().size(); ++k)
      for (std::size_t row = 0, rows = history_.blocks()[k].rows(); row < rows; row += tile)
        tiles_.push_back(tile_at(k, row));
  }

  // Whether what was fitted is a fit: its numbers are finite, and it did not run away. Weights that have grown
  // g times since theta_0 make at most g^L as much of a context as a fresh network does, which a few times more
  // never break; larger ones are looked at.
  bool sound(std::span<const T> before) const {
    const double grown = size_of(network_.theta()) / std::max(state_.theta0_size, 1e-15);
    if (!std::isfinite(grown)) return false;
    return grown < 4 || (has_room(grown) && nearer_than(before));
  }

  // Steps taken, or nothing when it was stopped.
  std::optional<std::size_t> run() {
    if (!settings_.warm) std::copy(state_.theta0.begin(), state_.theta0.end(), network_.mutable_theta().begin());
    network_.refresh();
    if (!settings_.keep_moments || !settings_.warm) state_.forget_moments();
    const double decay = settings_.decay_over_n ? settings_.decay / rounds_ : settings_.decay;
    const double length = settings_.step > 0 ? settings_.step : measured_step(decay);
    if (spans() && span_pays(network_.shape(), history_, settings_.iterations)) return run_in_span(length, decay);
    for (std::size_t j = 0; j < settings_.iterations; ++j) {
      if (how_.stop.stop_requested()) return {};
      gradient();
      if (small_gradient(decay)) return j;
      step(length, decay, 0);
    }
    return settings_.iterations;
  }

 private:
  // A decision multiplies a context with the weights of all layers, squares what it gets and sums it over
  // rounds and parameters. A float has room for that where g^L times the longest context is below 1e17, a
  // double where it is below 1e40, with some left for products of squares.
  bool has_room(double grown) const {
    double longest = 1;
    for_some_tiles([&](const Batch<T>& batch, std::size_t, std::size_t) {
      for (std::size_t j = 0; j < batch.n; ++j)
        longest = std::max(longest, size_of<T>(std::span(batch.x + j * batch.ldx, history_.shape().length)));
    });
    const double layers = static_cast<double>(network_.shape().depth) * std::log(grown);
    return layers + std::log(longest) < std::log(std::is_same_v<T, float> ? 1e17 : 1e40);
  }

  // Nearer to the rounds than with the parameters `before`, or at most a thousand times (deviations of 1 aside)
  // as far from them as a network that says 0.
  bool nearer_than(std::span<const T> before) const {
    const auto [own, of_zero] = distances(network_);
    if (own <= 1e6 * of_zero) return true;
    Network<T> was = network_;
    std::copy(before.begin(), before.end(), was.mutable_theta().begin());
    was.refresh();
    return own <= distances(was).first;
  }

  // Sums of squares over some of the rounds: of the network's residuals, and of what the rewards are from 0, at
  // least 1 each.
  std::pair<double, double> distances(const Network<T>& network) const {
    std::vector<T> inputs(network.shape().hidden() * tile * network.shape().units);
    std::array<T, tile> out;
    double own = 0, of_zero = 0;
    for_some_tiles([&](const Batch<T>& batch, std::size_t k, std::size_t row) {
      network.forward(batch, inputs.data(), out.data());
      for (std::size_t j = 0; j < batch.n; ++j) {
        const double reward = rewards(k, row)[j], residual = static_cast<double>(out[j]) - reward;
        own += residual * residual;
        of_zero += 1 + reward * reward;
      }
    });
    return {own, of_zero};
  }

  // Every step-th one of all tiles, block after block.
  template <class Visit>
  void for_some_tiles(Visit&& visit) const {
    constexpr std::size_t enough = 4;
    const auto tiles_of = [this](std::size_t k) { return (history_.blocks()[k].rows() + tile - 1) / tile; };
    std::size_t count = 0, at = 0;
    for (std::size_t k = 0; k < history_.blocks().size(); ++k) count += tiles_of(k);
    const std::size_t step = std::max<std::size_t>(1, count / enough);
    for (std::size_t k = 0; k < history_.blocks().size(); at -= tiles_of(k++))
      for (; at < tiles_of(k); at += step) visit_tile(tile_at(k, at * tile), visit);
  }

  // Whether the steps keep layer 1 in the span of its rows (row_span.hpp), and nothing asks for its gradient in
  // between.
  bool spans() const {
    return settings_.optimiser != Optimiser::adam && settings_.batch == 0 && settings_.tolerance <= 0 &&
           (settings_.optimiser == Optimiser::descent || !settings_.keep_moments);
  }
  const T* anchor() const { return settings_.anchor == Anchor::initial ? state_.theta0.data() : nullptr; }
  double loss_weight() const { return settings_.mean_loss ? 2 / rounds_ : 1; }

  bool sampled() const { return settings_.batch > 0 && settings_.batch < history_.size(); }
  Tile tile_at(std::size_t k, std::size_t row) const {
    return {static_cast<std::uint32_t>(k), row, std::min(tile, history_.blocks()[k].rows() - row)};
  }

  template <class Visit>
  void for_each_tile(std::size_t begin, std::size_t end, Visit&& visit) const {
    for (std::size_t i = begin; i < end; ++i) visit_tile(tiles_[i], visit);
  }
  template <class Visit>
  void visit_tile(const Tile& one, Visit&& visit) const {
    const std::size_t d = history_.shape().length;
    std::array<std::uint32_t, tile> blocks;
    blocks.fill(one.block);
    visit(Batch<T>{one.rows, history_.blocks()[one.block].x.data() + one.row * d, d, blocks.data()},
          one.block, one.row);
  }
  const T* rewards(std::size_t block, std::size_t row) const {
    return history_.blocks()[block].rewards.data() + row;
  }
  const T* round_weights(std::size_t block, std::size_t row) const {
    return weights_ == nullptr ? nullptr : (*weights_)[block].data() + row;
  }

  void gradient() {
    const double scale = sampled()
                             ? static_cast<double>(history_.size()) / static_cast<double>(settings_.batch)
                             : 1;
    const T weight = static_cast<T>(loss_weight() * scale);
    if (!std::exchange(clean_, false)) std::fill(gradient_.begin(), gradient_.end(), T(0));
    if (sampled()) return add_sample(weight);
    const std::size_t parts = (history_.size() + part_rounds - 1) / part_rounds;
    work_.resize(std::max<std::size_t>(1, parts));
    if (parts <= 1) return add_tiles(0, tiles_.size(), weight, gradient_.data(), work_[0]);
    others_.resize(parts - 1);
    parallel_for(parts, how_.threads, [&](std::size_t i) {
      if (i > 0) others_[i - 1].assign(gradient_.size(), T(0));
      add_tiles(tiles_.size() * i / parts, tiles_.size() * (i + 1) / parts, weight,
                i == 0 ? gradient_.data() : others_[i - 1].data(), work_[i]);
    });
    for (const auto& other : others_) math::axpy(gradient_.size(), T(1), other.data(), gradient_.data());
  }

  void add_tiles(std::size_t begin, std::size_t end, T weight, T* into, std::vector<T>& work) const {
    Pass<T> pass(network_, weight, into, work);
    for_each_tile(begin, end, [&](const Batch<T>& batch, std::size_t k, std::size_t row) {
      pass.add(batch, rewards(k, row), round_weights(k, row));
    });
  }

  void add_sample(T weight) {
    const std::size_t d = history_.shape().length;
    const auto places = sample_places_.draw(history_, settings_.batch, state_.stream);
    work_.resize(1);
    Pass<T> pass(network_, weight, gradient_.data(), work_[0]);
    std::array<T, tile> some_rewards, some_weights;
    std::array<std::uint32_t, tile> blocks;
    for (std::size_t start = 0; start < places.size(); start += tile) {
      const std::size_t n = std::min(tile, places.size() - start);
      for (std::size_t i = 0; i < n; ++i) {
        const auto [block, row] = places[start + i];
        std::copy_n(history_.blocks()[block].x.data() + row * d, d, sample_.data() + i * d);
        some_rewards[i] = *rewards(block, row);
        some_weights[i] = weights_ == nullptr ? 1 : *round_weights(block, row);
        blocks[i] = block;
      }
      pass.add({n, sample_.data(), d, blocks.data()}, some_rewards.data(), some_weights.data());
    }
  }

  double measured_step(double decay) const {
    std::vector<T> work;
    Pass<T> pass(network_, 1, nullptr, work);
    for_each_tile(0, tiles_.size(), [&](const Batch<T>& batch, std::size_t k, std::size_t row) {
      pass.measure(batch, round_weights(k, row));
    });
    return 1 / (decay + loss_weight() * pass.square);
  }

  bool small_gradient(double decay) const {
    if (settings_.tolerance <= 0) return false;
    double square = 0;
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      const double pulls_to = anchor() != nullptr ? static_cast<double>(anchor()[i]) : 0.0;
      const double g = static_cast<double>(gradient_[i]) +
                       decay * (static_cast<double>(network_.theta()[i]) - pulls_to);
      square += g * g;
    }
    return std::sqrt(square) < settings_.tolerance;
  }

  // On the parameters `from` and above.
  void step(double length, double decay, std::size_t from) {
    const std::size_t size = gradient_.size() - from;
    T* const theta = network_.mutable_theta().data() + from;
    const T* const grad = gradient_.data() + from;
    const T* const pulls_to = anchor() == nullptr ? nullptr : anchor() + from;
    const T pull = static_cast<T>(decay), beta = static_cast<T>(settings_.momentum);
    ++state_.steps;
    switch (settings_.optimiser) {
      case Optimiser::descent:
        math::descent_step<T>(size, theta, grad, static_cast<T>(length), pull, pulls_to);
        break;
      case Optimiser::momentum:
        math::momentum_step<T>(size, theta, grad, state_.first.data() + from, static_cast<T>(length), beta,
                               pull, pulls_to);
        break;
      case Optimiser::adam: {
        constexpr double beta2 = 0.999, epsilon = 1e-8;
        const double k = static_cast<double>(state_.steps), second = std::sqrt(1 - std::pow(beta2, k));
        const double corrected = length * second / (1 - std::pow(settings_.momentum, k));
        math::adam_step<T>(size, theta, grad, state_.first.data() + from, state_.second.data() + from,
                           static_cast<T>(corrected), beta, static_cast<T>(beta2),
                           static_cast<T>(epsilon * second), pull, pulls_to);
        break;
      }
    }
    network_.refresh();
  }

  std::optional<std::size_t> run_in_span(double length, double decay) {
    const std::size_t above = network_.shape().first(network_.shape().input.blocks);
    const double momentum = settings_.optimiser == Optimiser::momentum ? settings_.momentum : 0;
    RowSpan<T> span(network_, history_, anchor());
    work_.resize(1);
    Pass<T> pass(network_, static_cast<T>(loss_weight()), gradient_.data(), work_[0]);
    for (std::size_t j = 0; j < settings_.iterations; ++j) {
      if (how_.stop.stop_requested()) return {};
      std::fill(gradient_.begin() + static_cast<std::ptrdiff_t>(above), gradient_.end(), T(0));
      for_each_tile(0, tiles_.size(), [&](const Batch<T>& batch, std::size_t k, std::size_t row) {
        pass.add(span, k, row, batch.n, rewards(k, row), round_weights(k, row));
      });
      span.step(static_cast<T>(length), static_cast<T>(momentum), static_cast<T>(decay));
      step(length, decay, above);
    }
    span.finish(network_);
    return settings_.iterations;
  }

  Network<T>& network_;
  const History<T>& history_;
  const TrainerSettings& settings_;
  FitState<T>& state_;
  const Training& how_;
  const RoundWeights<T>* weights_;
  double rounds_;  // n
  std::vector<Tile> tiles_;
  std::vector<T> gradient_, sample_;
  bool clean_ = true;  // the gradient is still all 0
  MiniBatch sample_places_;
  std::vector<std::vector<T>> others_;  // gradients of the parts after the first
  std::vector<std::vector<T>> work_;    // of the parts
};

}  // namespace

template <class T>
Fitted fit(FitJob<T>& job, const Training& how) {
  job.steps_taken = 0;
  if (job.history->size() == 0) return Fitted::done;
  const Before<T> before(job, how.stop.stop_possible());
  std::optional<std::size_t> steps;
  try {
    Fit<T> fit(job, how);
    steps = fit.run();
    if (steps && fit.sound(before.theta)) {
      job.steps_taken = *steps;
      return Fitted::done;
    }
  } catch (...) {
    before.restore(job);
    if (!before.state) job.state->forget_moments();
    throw;
  }
  before.restore(job);
  if (!steps) return Fitted::stopped;
  job.state->forget_moments();
  ++job.state->diverged;
  return Fitted::diverged;
}

template Fitted fit<float>(FitJob<float>&, const Training&);
template Fitted fit<double>(FitJob<double>&, const Training&);

}  // namespace neuralts
