// The forms an exact posterior takes as rounds pass: dual, primal, and a bounded approximation.
// exact_posterior.cpp goes from one to the next; each is a Posterior of its own.
#pragma once

#include <memory>

#include "model/dual_factor.hpp"
#include "model/posterior.hpp"

namespace neuralts {

/// sigma^2 = g.g/c - k'(lambda I + G)^-1 k. Exact. Grows with the number of rounds t: time t^2, memory t^2 / 2
/// numbers.
template <class T, class F>
class DualPosterior final : public Posterior<T> {
 public:
  explicit DualPosterior(const PosteriorSettings& settings)
      : settings_(settings), factor_(settings.shape, settings.normaliser, settings.lambda) {}

  void variance(const Features<T>& features, Scratch& scratch, std::span<double> out) const override;
  void grow(const Features<T>& features) override { factor_.grow(features); }
  double log_det() const override;
  std::size_t memory() const override { return factor_.memory(); }
  void restart(double lambda) override;
  std::unique_ptr<Posterior<T>> clone() const override { return std::make_unique<DualPosterior>(*this); }
  void save(Writer& out) const override { factor_.save(out); }
  void load(Reader& in) override { factor_.load(in); }

  const FeatureStore<T>& store() const { return factor_.store(); }

 private:
  PosteriorSettings settings_;
  DualFactor<T, F> factor_;
};

/// The p x p factor, as an arrow: a block of d m parameters per block of R^D, a tail of all others. Exact. Does
/// not grow: time and memory K (d m)^2 / 2 numbers, whatever t is. Starts from the rounds in `past`.
template <class T, class F>
std::unique_ptr<Posterior<T>> make_primal_posterior(const PosteriorSettings& settings, const FeatureStore<T>& past);
/// Numbers the primal form holds when every block has been touched.
std::size_t primal_size(const NetworkShape& shape);

/// Bounded: features are seen through their projection on the span of every `stride`-th round of `past` (r of
/// them); what lies outside keeps its prior width. Never narrower than exact but for rounding. Does not grow:
/// time and memory r^2 numbers.
template <class T, class F>
std::unique_ptr<Posterior<T>> make_bounded_posterior(const PosteriorSettings& settings,
                                                     const FeatureStore<T>& past, std::size_t stride);
/// The same, empty, to be loaded.
template <class T, class F>
std::unique_ptr<Posterior<T>> make_empty_bounded_posterior(const PosteriorSettings& settings);

/// For decisions that would cost too much: the last layer's block of U exact, the diagonal of the rest. Time K
/// (d m + m^2) a decision, d m + m^2 a round; memory 2 p + m^2 numbers, whatever t is.
template <class T>
std::unique_ptr<Posterior<T>> make_last_layer_posterior(const PosteriorSettings& settings);
/// Its part without the last layer.
template <class T>
std::unique_ptr<Posterior<T>> make_lower_diagonal_posterior(const PosteriorSettings& settings);

}  // namespace neuralts
