// sigma^2 = lambda u'U^-1 u with u = g / sqrt(c), over an arrow (math/arrow_inverse.hpp): a block of d m
// parameters per block of R^D, a tail of all others. W_1's part of u goes unit by unit, so that the zeros of
// units that are not active stand together.
#include <algorithm>
#include <cmath>
#include <vector>

#include "math/arrow_inverse.hpp"
#include "model/exact_stages.hpp"

namespace neuralts {

namespace {

std::size_t block_size(const NetworkShape& shape) { return shape.input.length * shape.units; }
std::size_t tail_size(const NetworkShape& shape) { return shape.parameters() - shape.input.dim() * shape.units; }

template <class T, class F>
class PrimalPosterior final : public Posterior<T> {
 public:
  PrimalPosterior(const PosteriorSettings& settings, const FeatureStore<T>& past)
      : settings_(settings),
        arrow_({settings.shape.input.blocks, block_size(settings.shape), tail_size(settings.shape),
                settings.shape.input.length},
               settings.lambda) {
    // Those of one block are taken in fastest together.
    std::vector<std::vector<std::size_t>> rounds(settings.shape.input.blocks);
    for (std::size_t i = 0; i < past.size(); ++i) rounds[past.block(i)].push_back(i);
    std::vector<T> buffer;
    std::uint32_t block = 0;
    for (const auto& all : rounds)
      for (std::size_t at = 0, n; at < all.size(); at += n) {
        n = std::min(arrow_.batch, all.size() - at);
        grown_.resize(n * arrow_.length());
        for (std::size_t i = 0; i < n; ++i)
          flatten_weighted(past.get(all[at + i], buffer, block), 0, grown_.data() + i * arrow_.length());
        arrow_.add(n, std::vector<std::uint32_t>(n, block).data(), grown_.data(), arrow_.length());
      }
  }

  void variance(const Features<T>& features, Scratch& scratch, std::span<double> out) const override {
    const std::size_t n = features.batch.n;
    const auto u = scratch.take<F>(n * arrow_.length()), work = scratch.take<F>(arrow_.work(n));
    for (std::size_t i = 0; i < n; ++i) flatten(features, i, u.data() + i * arrow_.length());
    arrow_.quadratic(n, features.batch.blocks, u.data(), arrow_.length(), work.data(), out.data());
    for (double& value : out) value *= settings_.lambda;
  }

  void grow(const Features<T>& features) override {
    const std::size_t n = features.batch.n;
    grown_.resize(n * arrow_.length());
    for (std::size_t i = 0; i < n; ++i) flatten_weighted(features, i, grown_.data() + i * arrow_.length());
    arrow_.add(n, features.batch.blocks, grown_.data(), arrow_.length());
  }

  double log_det() const override { return arrow_.log_det(); }
  std::size_t memory() const override { return arrow_.memory() + grown_.capacity() * sizeof(F); }
  void restart(double lambda) override {
    settings_.lambda = lambda;
    arrow_.clear(lambda);
  }
  std::unique_ptr<Posterior<T>> clone() const override { return std::make_unique<PrimalPosterior>(*this); }
  void save(Writer& out) const override {
    out.value(settings_.lambda);
    arrow_.save(out);
  }
  void load(Reader& in) override {
    settings_.lambda = in.value<double>();
    arrow_.load(in);
  }

 private:
  // u of context i: its part of W_1, then b_1, W_2' .. b_L as they follow in theta.
  void flatten(const Features<T>& features, std::size_t i, F* out) const {
    const NetworkShape& shape = settings_.shape;
    const std::size_t m = shape.units, n = features.batch.n;
    const F share = static_cast<F>(1 / std::sqrt(settings_.normaliser)), last = share * static_cast<F>(shape.scale);
    const T* input = features.batch.x + i * features.batch.ldx;
    const T* signal = features.signals + i * m;
    out = outer(m, signal, shape.input.length, input, share, out);
    for (std::size_t l = 2; l < shape.depth; ++l) {
      if (shape.biases) out = outer(m, signal, 1, &one, share, out);
      input = features.inputs + (l - 2) * n * m + i * m;
      signal = features.signals + (l - 1) * n * m + i * m;
      out = outer(m, input, m, signal, share, out);
    }
    if (shape.biases) out = outer(m, signal, 1, &one, share, out);
    out = outer(m, features.inputs + (shape.hidden() - 1) * n * m + i * m, 1, &one, last, out);
    if (shape.biases) *out = last;
  }
  // sqrt(w) u, whose outer product is counted.
  void flatten_weighted(const Features<T>& features, std::size_t i, F* out) const {
    flatten(features, i, out);
    if (features.weight(i) == 1) return;
    const F root = std::sqrt(static_cast<F>(features.weight(i)));
    std::for_each_n(out, arrow_.length(), [root](F& value) { value *= root; });
  }
  static F* outer(std::size_t rows, const T* x, std::size_t cols, const T* y, F share, F* out) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < cols; ++c) *out++ = share * static_cast<F>(x[r]) * static_cast<F>(y[c]);
    return out;
  }
  static constexpr T one = 1;

  PosteriorSettings settings_;
  math::ArrowInverse<F> arrow_;
  std::vector<F> grown_;
};

}  // namespace

std::size_t primal_size(const NetworkShape& shape) {
  const std::size_t b = block_size(shape), q = tail_size(shape);
  return shape.input.blocks * b * (b / 2 + q) + q * q / 2;
}

template <class T, class F>
std::unique_ptr<Posterior<T>> make_primal_posterior(const PosteriorSettings& settings,
                                                    const FeatureStore<T>& past) {
  return std::make_unique<PrimalPosterior<T, F>>(settings, past);
}

template std::unique_ptr<Posterior<float>> make_primal_posterior<float, float>(const PosteriorSettings&,
                                                                               const FeatureStore<float>&);
template std::unique_ptr<Posterior<float>> make_primal_posterior<float, double>(const PosteriorSettings&,
                                                                                const FeatureStore<float>&);
template std::unique_ptr<Posterior<double>> make_primal_posterior<double, double>(
    const PosteriorSettings&, const FeatureStore<double>&);

}  // namespace neuralts
