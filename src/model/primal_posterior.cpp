// sigma^2 = lambda u'U^-1 u with u = g / sqrt(c): an arrow factor of U up to some round, and for the few rounds since a dual in
// its whitened coordinates w = L^-1 u:   u'U^-1 u = |w|^2 - (W w)'(I + W W')^-1 (W w).
//
// Reading the arrow is what costs, so it is read once a decision: the last rounds wait as they are, and are whitened along with
// the arms of each decision until there are `patience` of them. Rewritten it is once every `batch` rounds.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "math/arrow_cholesky.hpp"
#include "math/growing_cholesky.hpp"
#include "math/simd.hpp"
#include "model/exact_stages.hpp"

namespace neuralts {

namespace {

constexpr std::size_t patience = 8;  // rounds not whitened yet
constexpr std::size_t batch = 32;    // rounds whitened, not yet in the arrow; a multiple of patience

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
    for (std::size_t i = 0; i < past.size(); ++i) grow(past.get(i, buffer, block));
  }

  void variance(const Features<T>& features, Scratch& scratch, std::span<double> out) const override {
    const std::size_t n = features.batch.n;
    const Whitened all = whiten(features, scratch);
    const Dual waiting = factor_waiting(all, n);
    for (std::size_t r = 0; r < n; ++r) {
      std::array<double, patience> k;
      for (std::size_t i = 0; i < waiting_; ++i) k[i] = left(all, r, n + i);
      waiting.solve(waiting_, k.data());
      double square = left(all, r, r);
      for (std::size_t i = 0; i < waiting_; ++i) square -= k[i] * k[i];
      out[r] = settings_.lambda * std::max(square, 0.0);
    }
  }

  void grow(const Features<T>& features) override {
    for (std::size_t i = 0; i < features.batch.n; ++i) {
      rounds_.resize((whitened() + waiting_ + 1) * length_);
      flatten(features, i, rounds_.data() + (whitened() + waiting_) * length_);
      blocks_.push_back(features.batch.blocks[i]);
      if (++waiting_ == patience) whiten_waiting();
      if (whitened() == batch) fold();
    }
  }

  double log_det() const override {
    Scratch scratch;
    const Dual waiting = factor_waiting(whiten({}, scratch), 0);
    double sum = arrow_.log_det() + recent_.log_det();
    for (std::size_t i = 0; i < waiting_; ++i) sum += 2 * std::log(waiting.l[i * patience + i]);
    return sum;
  }
  std::size_t memory() const override { return arrow_.memory() + rounds_.capacity() * sizeof(F) + recent_.memory(); }
  void restart(double lambda) override {
    settings_.lambda = lambda;
    arrow_.clear(lambda);
    forget_recent();
  }
  void save(Writer& out) const override {
    out.value(settings_.lambda);
    arrow_.save(out);
    out.values(blocks_);
    out.value<std::uint64_t>(waiting_);
    out.values(rounds_);
    out.values(recent_.packed());
  }
  void load(Reader& in) override {
    settings_.lambda = in.value<double>();
    arrow_.load(in);
    blocks_ = in.values<std::uint32_t>();
    waiting_ = in.value<std::uint64_t>();
    if (waiting_ >= patience || waiting_ > blocks_.size() || blocks_.size() > batch) in.fail();
    rounds_ = in.values<F>(blocks_.size() * length_);
    const std::size_t recent = blocks_.size() - waiting_;
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

  // Contexts and the waiting rounds after them, whitened; those of one block lie side by side, so that its part of the arrow is
  // read once for all.
  struct Whitened {
    std::span<std::uint32_t> slots;   // where vector e lies
    std::span<std::uint32_t> blocks;  // of slots
    std::span<F> w;                   // by slots
    std::span<F> z;                   // of vector e: recent_'s L^-1 of its inner products with the recent rounds
  };

  std::size_t whitened() const { return recent_.size(); }

  Whitened whiten(const Features<T>& features, Scratch& scratch) const {
    const std::size_t n = features.batch.n, total = n + waiting_, recent = whitened();
    const Whitened all{scratch.take<std::uint32_t>(total), scratch.take<std::uint32_t>(total), scratch.take<F>(total * length_),
                       scratch.take<F>(total * recent)};
    const auto block = [&](std::size_t e) { return e < n ? features.batch.blocks[e] : blocks_[recent + e - n]; };
    sort_by_block(all, block);
    for (std::size_t e = 0; e < total; ++e) {
      F* w = all.w.data() + all.slots[e] * length_;
      e < n ? flatten(features, e, w) : void(std::copy_n(rounds_.data() + (recent + e - n) * length_, length_, w));
    }
    arrow_.whiten(total, all.blocks.data(), all.w.data(), length_);
    for (std::size_t e = 0; e < total; ++e)
      for (std::size_t i = 0; i < recent; ++i)
        all.z[e * recent + i] = meet(block(e), all.w.data() + all.slots[e] * length_, blocks_[i], rounds_.data() + i * length_);
    recent_.solve(total, all.z.data(), recent);
    return all;
  }

  // Insertion keeps equal blocks in order and is quick on what is nearly sorted.
  template <class Block>
  static void sort_by_block(const Whitened& all, const Block& block) {
    const std::size_t total = all.slots.size();
    for (std::size_t e = 0; e < total; ++e) {
      std::size_t slot = e;
      for (; slot > 0 && all.blocks[slot - 1] > block(e); --slot) all.blocks[slot] = all.blocks[slot - 1];
      for (std::size_t before = 0; slot < e && before < e; ++before) all.slots[before] += all.slots[before] >= slot ? 1 : 0;
      all.blocks[slot] = block(e);
      all.slots[e] = static_cast<std::uint32_t>(slot);
    }
  }

  // Vectors of different blocks meet in the tail only.
  F meet(std::uint32_t a, const F* x, std::uint32_t b, const F* y) const {
    const std::size_t skip = a == b ? 0 : block_size(settings_.shape);
    return math::dot(length_ - skip, x + skip, y + skip);
  }

  // What the recent rounds leave of the inner product of vectors e and f.
  double left(const Whitened& all, std::size_t e, std::size_t f) const {
    const std::size_t recent = whitened(), a = all.slots[e], b = all.slots[f];
    return static_cast<double>(meet(all.blocks[a], all.w.data() + a * length_, all.blocks[b], all.w.data() + b * length_)) -
           static_cast<double>(math::dot(recent, all.z.data() + e * recent, all.z.data() + f * recent));
  }

  // The Cholesky factor of I + (what is left of the waiting rounds' Gram matrix).
  struct Dual {
    std::array<double, patience * patience> l;
    void solve(std::size_t n, double* x) const {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) x[i] -= l[i * patience + j] * x[j];
        x[i] /= l[i * patience + i];
      }
    }
  };
  Dual factor_waiting(const Whitened& all, std::size_t n) const {
    Dual dual;
    for (std::size_t i = 0; i < waiting_; ++i) {
      double* row = dual.l.data() + i * patience;
      for (std::size_t j = 0; j < i; ++j) row[j] = left(all, n + i, n + j);
      dual.solve(i, row);
      double pivot = 1 + left(all, n + i, n + i);
      for (std::size_t j = 0; j < i; ++j) pivot -= row[j] * row[j];
      row[i] = std::sqrt(std::max(pivot, 1.0));
    }
    return dual;
  }

  void whiten_waiting() {
    Scratch scratch;
    const Whitened all = whiten({}, scratch);
    const std::size_t recent = whitened();
    std::array<double, patience * patience> self{};
    for (std::size_t i = 0; i < patience; ++i) {
      const F* w = all.w.data() + all.slots[i] * length_;
      for (std::size_t j = 0; j <= i; ++j)
        self[i * patience + j] = (i == j ? 1 : 0) + static_cast<double>(meet(blocks_[recent + i], w, blocks_[recent + j], all.w.data() + all.slots[j] * length_));
      std::copy_n(w, length_, rounds_.data() + (recent + i) * length_);
    }
    recent_.append_block(patience, all.z.data(), recent, self.data(), 1);
    waiting_ = 0;
  }

  // The whitened rounds into the arrow, those of one block side by side.
  void fold() {
    std::array<std::uint32_t, batch> order, blocks;
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) { return blocks_[a] < blocks_[b]; });
    std::vector<F> sorted(rounds_.size());
    for (std::size_t i = 0; i < batch; ++i) {
      std::copy_n(rounds_.data() + order[i] * length_, length_, sorted.data() + i * length_);
      blocks[i] = blocks_[order[i]];
    }
    arrow_.absorb(batch, blocks.data(), sorted.data(), length_);
    forget_recent();
  }

  void forget_recent() {
    rounds_.clear();
    blocks_.clear();
    waiting_ = 0;
    recent_.clear();
  }

  PosteriorSettings settings_;
  std::size_t length_;
  math::ArrowCholesky<F> arrow_;
  std::vector<F> rounds_;  // since the last fold: L^-1 u of those whitened, then u of those waiting
  std::vector<std::uint32_t> blocks_;
  std::size_t waiting_ = 0;
  math::GrowingCholesky<F> recent_;  // of I + W W' over those whitened
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
