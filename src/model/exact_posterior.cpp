// The whole of U, through its dual: with G the t x t matrix of g_i.g_j / c,
//   sigma^2 = g.g/c - k'(lambda I + G)^-1 k,  k_i = g_i.g/c,   log det U = p log lambda + log det(I + G/lambda).
// One Cholesky factor that grows by a row a round.
#include <algorithm>
#include <cmath>

#include "math/growing_cholesky.hpp"
#include "math/simd.hpp"
#include "model/feature_store.hpp"
#include "model/posterior.hpp"

namespace neuralts {

namespace {

template <class T, class F>
class ExactPosterior final : public Posterior<T> {
 public:
  explicit ExactPosterior(const PosteriorSettings& settings) : settings_(settings), store_(settings.shape) {}

  void restart(double lambda) override {
    settings_.lambda = lambda;
    store_.clear();
    factor_.clear();
  }

  void variance(const Features<T>& features, Scratch& scratch, std::span<double> out) const override {
    const std::size_t n = features.batch.n, t = store_.size();
    const auto k = scratch.take<F>(n * t);
    solve(features, scratch, k);
    for (std::size_t r = 0; r < n; ++r) {
      const double prior = squared_norm(features, r);
      out[r] = std::max(prior - static_cast<double>(math::dot(t, k.data() + r * t, k.data() + r * t)), rounding * prior);
    }
  }

  void grow(const Features<T>& features) override {
    Scratch scratch;
    for (std::size_t i = 0; i < features.batch.n; ++i) {
      const Features<T> one = single(features, i);
      scratch.reset();
      const std::size_t t = store_.size();
      const auto z = scratch.template take<F>(t);
      solve(one, scratch, z);
      const double pivot = settings_.lambda + squared_norm(one, 0) - static_cast<double>(math::dot(t, z.data(), z.data()));
      factor_.append(z.data(), pivot, settings_.lambda);
      store_.append(one);
    }
  }

  double log_det() const override {
    const double p = static_cast<double>(settings_.shape.parameters()), t = static_cast<double>(store_.size());
    return factor_.log_det() + (p - t) * std::log(settings_.lambda);
  }
  std::size_t memory() const override { return factor_.memory() + store_.memory(); }
  void save(Writer& out) const override {
    out.value(settings_.lambda);
    store_.save(out);
    out.values(factor_.packed());
  }
  void load(Reader& in) override {
    settings_.lambda = in.value<double>();
    store_.load(in);
    const std::size_t t = store_.size();
    factor_.restore(t, in.values<F>(t * (t + 1) / 2));
  }

 private:
  static constexpr double rounding = 1e-12;

  void solve(const Features<T>& features, Scratch& scratch, std::span<F> k) const {
    const std::size_t t = store_.size();
    store_.meet(features, scratch, k.data(), t);
    const F share = static_cast<F>(1 / settings_.normaliser);
    for (F& value : k) value *= share;
    factor_.solve(features.batch.n, k.data(), t);
  }

  // Context i alone. Its layers lie n * m apart, so they are copied.
  Features<T> single(const Features<T>& features, std::size_t i) {
    const NetworkShape& shape = settings_.shape;
    const std::size_t m = shape.width, n = features.batch.n;
    single_.resize(2 * shape.hidden() * m);
    for (std::size_t l = 0; l < shape.hidden(); ++l) {
      std::copy_n(features.inputs + l * n * m + i * m, m, single_.begin() + static_cast<std::ptrdiff_t>(l * m));
      std::copy_n(features.signals + l * n * m + i * m, m, single_.begin() + static_cast<std::ptrdiff_t>((shape.hidden() + l) * m));
    }
    return {{1, features.batch.x + i * features.batch.ldx, features.batch.ldx, features.batch.blocks + i},
            single_.data(), single_.data() + shape.hidden() * m};
  }

  double squared_norm(const Features<T>& features, std::size_t i) const {
    return tangent_square(settings_.shape, features, i) / settings_.normaliser;
  }

  PosteriorSettings settings_;
  FeatureStore<T> store_;
  math::GrowingCholesky<F> factor_;
  std::vector<T> single_;
};

}  // namespace

template <class T>
std::unique_ptr<Posterior<T>> make_exact_posterior(const PosteriorSettings& settings) {
  if (settings.double_factor) return std::make_unique<ExactPosterior<T, double>>(settings);
  return std::make_unique<ExactPosterior<T, T>>(settings);
}

template std::unique_ptr<Posterior<float>> make_exact_posterior<float>(const PosteriorSettings&);
template std::unique_ptr<Posterior<double>> make_exact_posterior<double>(const PosteriorSettings&);

}  // namespace neuralts
