// sigma^2 = lambda u'U^-1 u with u = g / sqrt(c): an arrow factor of U up to some round, and for the few rounds since a dual in
// its whitened coordinates w = L^-1 u:   u'U^-1 u = |w|^2 - (W w)'(I + W W')^-1 (W w).
// The arrow is read once a decision and rewritten once every `batch` rounds.
#include <algorithm>
#include <cmath>

#include "math/arrow_cholesky.hpp"
#include "math/growing_cholesky.hpp"
#include "math/simd.hpp"
#include "model/exact_stages.hpp"

namespace neuralts {

namespace {

constexpr std::size_t batch = 32;

std::size_t block_size(const NetworkShape& shape) { return shape.input.block * shape.width; }
std::size_t tail_size(const NetworkShape& shape) { return shape.parameters() - shape.input.dim() * shape.width; }

template <class T, class F>
class PrimalPosterior final : public Posterior<T> {
 public:
  PrimalPosterior(const PosteriorSettings& settings, const FeatureStore<T>& past)
      : settings_(settings), length_(block_size(settings.shape) + tail_size(settings.shape)),
        arrow_(settings.shape.input.blocks, block_size(settings.shape), tail_size(settings.shape), settings.lambda) {
    std::vector<T> buffer;
    std::uint32_t block = 0;
    for (std::size_t i = 0; i < past.size(); ++i) {
      take(past.get(i, buffer, block), 0);
      if (raw_blocks_.size() == batch) fold();
    }
    fold();
  }

  void variance(const Features<T>& features, Scratch& scratch, std::span<double> out) const override {
    const std::size_t n = features.batch.n, recent = raw_blocks_.size();
    const auto w = scratch.take<F>(n * length_);
    const auto k = scratch.take<F>(std::max<std::size_t>(recent, 1));
    for (std::size_t r = 0; r < n; ++r) flatten(features, r, w.data() + r * length_);
    arrow_.whiten(n, features.batch.blocks, w.data(), length_);
    for (std::size_t r = 0; r < n; ++r) {
      const F* mine = w.data() + r * length_;
      meet_recent(features.batch.blocks[r], mine, k.data());
      recent_.solve(1, k.data(), recent);
      const double square = static_cast<double>(math::dot(length_, mine, mine)) - static_cast<double>(math::dot(recent, k.data(), k.data()));
      out[r] = settings_.lambda * std::max(square, 0.0);
    }
  }

  void grow(const Features<T>& features) override {
    for (std::size_t i = 0; i < features.batch.n; ++i) {
      take(features, i);
      append_whitened();
      if (raw_blocks_.size() == batch) fold();
    }
  }

  double log_det() const override { return arrow_.log_det() + recent_.log_det(); }
  std::size_t memory() const override { return arrow_.memory() + (raw_.capacity() + whitened_.capacity()) * sizeof(F) + recent_.memory(); }
  void restart(double lambda) override {
    settings_.lambda = lambda;
    arrow_.clear(lambda);
    forget_recent();
  }
  void save(Writer& out) const override {
    out.value(settings_.lambda);
    arrow_.save(out);
    out.values(raw_blocks_);
    out.values(raw_);
    out.values(whitened_);
    out.values(recent_.packed());
  }
  void load(Reader& in) override {
    settings_.lambda = in.value<double>();
    arrow_.load(in);
    raw_blocks_ = in.values<std::uint32_t>();
    const std::size_t recent = raw_blocks_.size();
    raw_ = in.values<F>(recent * length_);
    whitened_ = in.values<F>(recent * length_);
    recent_.restore(recent, in.values<F>(recent * (recent + 1) / 2));
  }

 private:
  // u of context i: its part of W_1, then b_1, W_2' .. b_L as they follow in theta.
  void flatten(const Features<T>& features, std::size_t i, F* out) const {
    const NetworkShape& shape = settings_.shape;
    const std::size_t m = shape.width, n = features.batch.n;
    const F share = static_cast<F>(1 / std::sqrt(settings_.normaliser)), last = share * static_cast<F>(shape.scale);
    const T* input = features.batch.x + i * features.batch.ldx;
    std::size_t rows = shape.input.block;
    for (std::size_t l = 1; l < shape.depth; ++l) {
      const T* signal = features.signals + (l - 1) * n * m + i * m;
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t j = 0; j < m; ++j) *out++ = share * static_cast<F>(input[r]) * static_cast<F>(signal[j]);
      if (shape.biases)
        for (std::size_t j = 0; j < m; ++j) *out++ = share * static_cast<F>(signal[j]);
      input = features.inputs + (l - 1) * n * m + i * m;
      rows = m;
    }
    for (std::size_t j = 0; j < m; ++j) *out++ = last * static_cast<F>(input[j]);
    if (shape.biases) *out = last;
  }

  void take(const Features<T>& features, std::size_t i) {
    raw_.resize(raw_.size() + length_);
    flatten(features, i, raw_.data() + raw_.size() - length_);
    raw_blocks_.push_back(features.batch.blocks[i]);
  }

  // Inner products with the whitened recent rounds: contexts of different blocks meet in the tail only.
  void meet_recent(std::uint32_t block, const F* w, F* k) const {
    const std::size_t b = block_size(settings_.shape), q = length_ - b;
    for (std::size_t i = 0; i < recent_.size(); ++i) {
      const F* other = whitened_.data() + i * length_;
      k[i] = raw_blocks_[i] == block ? math::dot(length_, w, other) : math::dot(q, w + b, other + b);
    }
  }

  void append_whitened() {
    const std::size_t at = recent_.size();
    whitened_.insert(whitened_.end(), raw_.end() - static_cast<std::ptrdiff_t>(length_), raw_.end());
    F* w = whitened_.data() + at * length_;
    arrow_.whiten(1, &raw_blocks_[at], w, length_);
    std::vector<F> k(at + 1);
    meet_recent(raw_blocks_[at], w, k.data());
    recent_.solve(1, k.data(), at);
    const double pivot = 1 + static_cast<double>(math::dot(length_, w, w)) - static_cast<double>(math::dot(at, k.data(), k.data()));
    recent_.append(k.data(), pivot, 1);
  }

  // The recent rounds into the arrow, those of one block side by side.
  void fold() {
    std::vector<std::uint32_t> order(raw_blocks_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    std::stable_sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) { return raw_blocks_[a] < raw_blocks_[b]; });
    std::vector<F> sorted(raw_.size());
    std::vector<std::uint32_t> blocks(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::copy_n(raw_.begin() + static_cast<std::ptrdiff_t>(order[i] * length_), length_, sorted.begin() + static_cast<std::ptrdiff_t>(i * length_));
      blocks[i] = raw_blocks_[order[i]];
    }
    arrow_.update(blocks.size(), blocks.data(), sorted.data(), length_);
    forget_recent();
  }

  void forget_recent() {
    raw_.clear();
    whitened_.clear();
    raw_blocks_.clear();
    recent_.clear();
  }

  PosteriorSettings settings_;
  std::size_t length_;
  math::ArrowCholesky<F> arrow_;
  std::vector<F> raw_, whitened_;  // u and L^-1 u of the rounds since the last fold
  std::vector<std::uint32_t> raw_blocks_;
  math::GrowingCholesky<F> recent_;  // of I + W W'
};

}  // namespace

std::size_t primal_size(const NetworkShape& shape) {
  const std::size_t b = block_size(shape), q = tail_size(shape);
  return shape.input.blocks * b * (b / 2 + q) + q * q / 2;
}

template <class T, class F>
std::unique_ptr<Posterior<T>> make_primal_posterior(const PosteriorSettings& settings, const FeatureStore<T>& past) {
  return std::make_unique<PrimalPosterior<T, F>>(settings, past);
}

template std::unique_ptr<Posterior<float>> make_primal_posterior<float, float>(const PosteriorSettings&, const FeatureStore<float>&);
template std::unique_ptr<Posterior<float>> make_primal_posterior<float, double>(const PosteriorSettings&, const FeatureStore<float>&);
template std::unique_ptr<Posterior<double>> make_primal_posterior<double, double>(const PosteriorSettings&, const FeatureStore<double>&);

}  // namespace neuralts
