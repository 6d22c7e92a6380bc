// Nystroem: with B a fixed set of r rounds and R R' = epsilon I + G_BB, a feature has coordinates z = R^-1 k in
// the span of B and a residual g.g/c - |z|^2 outside it. Rounds are counted in those coordinates, A = lambda I
// + sum z z', so
//   sigma^2 = residual + lambda z'A^-1 z.
#include <algorithm>
#include <cmath>

#include "math/arrow_inverse.hpp"
#include "math/simd.hpp"
#include "model/exact_stages.hpp"

namespace neuralts {

namespace {

// Epsilon, relative to g.g/c: keeps R well conditioned in float32, counts as residual.
constexpr double jitter = 1e-4;
constexpr std::size_t panel = 64;     // rounds projected together

template <class T, class F>
class BoundedPosterior final : public Posterior<T> {
 public:
  BoundedPosterior(const PosteriorSettings& settings, std::size_t rank)
      : settings_(settings),
        basis_(settings.shape, settings.normaliser, 0),
        counted_(arrow(rank), settings.lambda) {}

  BoundedPosterior(const PosteriorSettings& settings, const FeatureStore<T>& past, std::size_t stride)
      : BoundedPosterior(settings, (past.size() + stride - 1) / stride) {
    std::vector<T> buffer;
    std::uint32_t block = 0;
    for (std::size_t i = 0; i < past.size(); i += stride) {
      Features<T> one = past.get(i, buffer, block);
      one.weights = nullptr;  // a basis has no weights
      if (i == 0) basis_.clear(jitter * tangent_square(settings.shape, one, 0) / settings.normaliser);
      basis_.grow(one);
    }
    Scratch scratch;
    std::vector<F> z(panel * rank());
    for (std::size_t at = 0, n; at < past.size(); at += n) {
      n = std::min(panel, past.size() - at);
      for (std::size_t i = 0; i < n; ++i) {
        scratch.reset();
        const Features<T> one = past.get(at + i, buffer, block);
        basis_.whiten(one, scratch, z.data() + i * rank());
        weigh(one, 0, z.data() + i * rank());
      }
      count(n, z.data());
    }
  }

  void variance(const Features<T>& features, Scratch& scratch, std::span<double> out) const override {
    const std::size_t n = features.batch.n;
    const auto z = scratch.take<F>(n * rank()), work = scratch.take<F>(counted_.work(n));
    const auto zeros = scratch.take<std::uint32_t>(n);
    std::fill(zeros.begin(), zeros.end(), 0u);
    basis_.whiten(features, scratch, z.data());
    counted_.quadratic(n, zeros.data(), z.data(), rank(), work.data(), out.data());
    for (std::size_t r = 0; r < n; ++r) {
      const double prior = tangent_square(settings_.shape, features, r) / settings_.normaliser;
      out[r] = settings_.lambda * out[r] + std::max(prior - square(z.data() + r * rank()), 0.0);
    }
  }

  void grow(const Features<T>& features) override {
    Scratch scratch;
    std::vector<F> z(features.batch.n * rank());
    basis_.whiten(features, scratch, z.data());
    for (std::size_t i = 0; i < features.batch.n; ++i) weigh(features, i, z.data() + i * rank());
    count(features.batch.n, z.data());
  }
  // Of the counted part; what lies outside the span adds nothing.
  double log_det() const override {
    const double free = static_cast<double>(settings_.shape.parameters()) - static_cast<double>(rank());
    return counted_.log_det() + free * std::log(settings_.lambda);
  }
  std::size_t memory() const override { return basis_.memory() + counted_.memory(); }
  void restart(double lambda) override {
    settings_.lambda = lambda;
    counted_.clear(lambda);
  }
  std::unique_ptr<Posterior<T>> clone() const override { return std::make_unique<BoundedPosterior>(*this); }
  void save(Writer& out) const override {
    out.value(settings_.lambda);
    basis_.save(out);
    counted_.save(out);
  }
  void load(Reader& in) override {
    settings_.lambda = in.value<double>();
    basis_.load(in);
    counted_ = math::ArrowInverse<F>(arrow(rank()), settings_.lambda);
    counted_.load(in);
  }

 private:
  static math::ArrowShape arrow(std::size_t rank) {
    return {.blocks = 1, .block = rank, .tail = 0, .group = math::Strips<F>::height};
  }
  std::size_t rank() const { return basis_.size(); }
  double square(const F* z) const { return static_cast<double>(math::dot(rank(), z, z)); }

  void weigh(const Features<T>& features, std::size_t i, F* z) const {
    if (features.weight(i) == 1) return;
    const F root = std::sqrt(static_cast<F>(features.weight(i)));
    std::for_each_n(z, rank(), [root](F& value) { value *= root; });
  }
  void count(std::size_t n, const F* z) { counted_.add(n, std::vector<std::uint32_t>(n, 0).data(), z, rank()); }

  PosteriorSettings settings_;
  DualFactor<T, F> basis_;
  math::ArrowInverse<F> counted_;
};

}  // namespace

template <class T, class F>
std::unique_ptr<Posterior<T>> make_bounded_posterior(const PosteriorSettings& settings,
                                                     const FeatureStore<T>& past, std::size_t stride) {
  return std::make_unique<BoundedPosterior<T, F>>(settings, past, stride);
}

template <class T, class F>
std::unique_ptr<Posterior<T>> make_empty_bounded_posterior(const PosteriorSettings& settings) {
  return std::make_unique<BoundedPosterior<T, F>>(settings, 0);
}

#define NEURALTS_INSTANTIATE(T, F)                                                                                                    \
  template std::unique_ptr<Posterior<T>> make_bounded_posterior<T, F>(const PosteriorSettings&, const FeatureStore<T>&, std::size_t); \
  template std::unique_ptr<Posterior<T>> make_empty_bounded_posterior<T, F>(const PosteriorSettings&);
NEURALTS_INSTANTIATE(float, float)
NEURALTS_INSTANTIATE(float, double)
NEURALTS_INSTANTIATE(double, double)
#undef NEURALTS_INSTANTIATE

}  // namespace neuralts
