// The paper's approximation: only the diagonal of U. Layer l's share of g^2 is the outer product of squares, so
// both verbs are bilinear forms over a matrix of the layer's shape. It is kept output-major, unlike theta: the
// rows of units that are not active, about half of them, are then never read. Many contexts of one block go
// through it together, as a product of their squared inputs with its transpose: then nothing is skipped, and
// nothing is waited for.
#include <algorithm>
#include <cmath>

#include "math/layers.hpp"
#include "math/simd.hpp"
#include "model/exact_stages.hpp"

namespace neuralts {

namespace {

constexpr std::size_t worth_a_product = 16;  // contexts of one block

template <class T>
class DiagonalPosterior final : public Posterior<T> {
 public:
  DiagonalPosterior(const PosteriorSettings& settings, bool last_layer)
      : settings_(settings), last_layer_(last_layer) {
    restart(settings.lambda);
  }

  void restart(double lambda) override {
    settings_.lambda = lambda;
    const NetworkShape& shape = settings_.shape;
    u_.assign(last_layer_ ? shape.parameters() : shape.weights(shape.depth), static_cast<T>(lambda));
    lost_.assign(u_.size(), T(0));
    squares_.resize(shape.input.length + 2 * shape.units);
    inverse_.assign(u_.size(), 1 / static_cast<T>(lambda));  // as load() computes it, to the last bit
    transposed_.clear();
  }

  void variance(const Features<T>& features, Scratch& scratch, std::span<double> out) const override {
    const NetworkShape& shape = settings_.shape;
    const std::size_t enough = transposed_.empty() ? worth_a_product : 2;
    if (in_one_block(features.batch) && features.batch.n >= enough)
      return variance_together(features, scratch, out);
    const auto squares = scratch.take<T>(shape.input.length + 2 * shape.units);
    for (std::size_t i = 0; i < features.batch.n; ++i) {
      T sum = 0;
      for_each_layer(features, i, squares,
                     [&](std::size_t at, std::size_t rows, std::size_t cols, const T* row, const T* col) {
                       sum += math::bilinear(rows, cols, row, col, inverse_.data() + at, cols);
                     });
      out[i] = static_cast<double>(sum) * settings_.lambda / settings_.normaliser;
    }
  }

  bool batching_helps() const override { return false; }

  void prepare() override {
    const NetworkShape& shape = settings_.shape;
    if (shape.input.blocks > 1) return;
    transposed_.resize(inverse_.size());
    std::size_t inputs = shape.input.length;
    for (std::size_t l = 1; l < shape.depth; ++l, inputs = shape.units)
      transpose(shape.units, inputs, inverse_.data() + layer(l, 0), transposed_.data() + layer(l, 0));
  }

  void grow(const Features<T>& features) override {
    for (std::size_t i = 0; i < features.batch.n; ++i) {
      const T share = static_cast<T>(1 / settings_.normaliser) * features.weight(i);
      for_each_layer(features, i, std::span(squares_),
                     [&](std::size_t at, std::size_t rows, std::size_t cols, const T* row, const T* col) {
                       for (std::size_t r = 0; r < rows; ++r) {
                         if (row[r] == 0) continue;
                         T* u = u_.data() + at + r * cols;
                         T* lost = lost_.data() + at + r * cols;
                         T* inverse = inverse_.data() + at + r * cols;
                         for (std::size_t j = 0; j < cols; ++j) add(share * row[r] * col[j], u[j], lost[j]);
                         for (std::size_t j = 0; j < cols; ++j) inverse[j] = 1 / u[j];
                       }
                     });
    }
  }

  double log_det() const override {
    double sum = 0;
    for (const T value : u_) sum += std::log(static_cast<double>(value));
    return sum;
  }
  std::size_t memory() const override { return (3 * u_.size() + transposed_.size()) * sizeof(T); }
  std::unique_ptr<Posterior<T>> clone() const override { return std::make_unique<DiagonalPosterior>(*this); }
  void save(Writer& out) const override {
    out.value(settings_.lambda);
    out.values(u_);
    out.values(lost_);
  }
  void load(Reader& in) override {
    settings_.lambda = in.value<double>();
    u_ = in.values<T>(u_.size());
    lost_ = in.values<T>(u_.size());
    std::transform(u_.begin(), u_.end(), inverse_.begin(), [](T u) { return 1 / u; });
    transposed_.clear();
  }

 private:
  static bool in_one_block(const Batch<T>& batch) {
    return std::all_of(batch.blocks, batch.blocks + batch.n,
                       [&](std::uint32_t block) { return block == batch.blocks[0]; });
  }

  void variance_together(const Features<T>& features, Scratch& scratch, std::span<double> out) const {
    const NetworkShape& shape = settings_.shape;
    const std::size_t m = shape.units, n = features.batch.n, most = std::max(shape.input.length, m);
    const auto squares = scratch.take<T>(n * most), products = scratch.take<T>(n * m);
    const auto working = scratch.take<T>(transposed_.empty() ? most * m : 0);
    const auto sums = scratch.take<T>(n);
    const T last = static_cast<T>(shape.scale * shape.scale);
    const T* rows = features.batch.x;
    std::size_t inputs = shape.input.length, distance = features.batch.ldx;
    std::fill(sums.begin(), sums.end(), T(0));
    for (std::size_t l = 1; l < shape.depth; ++l) {
      for (std::size_t i = 0; i < n; ++i) square(inputs, rows + i * distance, squares.data() + i * inputs);
      const std::size_t at = layer(l, features.batch.blocks[0]);
      if (transposed_.empty()) transpose(m, inputs, inverse_.data() + at, working.data());
      const T* const columns = transposed_.empty() ? working.data() : transposed_.data() + at;
      math::gemm<T>(n, m, inputs, squares.data(), inputs, 1, columns, m, 0, products.data(), m);
      math::add_weighted_squares<T>(n, m, 1, features.signals + (l - 1) * n * m, products.data(),
                                    shape.biases ? inverse_.data() + shape.bias(l) : nullptr, sums.data());
      rows = features.inputs + (l - 1) * n * m;
      inputs = distance = m;
    }
    if (last_layer_)
      math::add_weighted_squares<T>(n, m, last, rows, nullptr, inverse_.data() + shape.weights(shape.depth),
                                    sums.data());
    const T constant = last_layer_ && shape.biases ? last * inverse_[shape.bias(shape.depth)] : T(0);
    for (std::size_t i = 0; i < n; ++i)
      out[i] = static_cast<double>(sums[i] + constant) * settings_.lambda / settings_.normaliser;
  }
  /// Where the weights of layer l begin.
  std::size_t layer(std::size_t l, std::uint32_t block) const {
    return l == 1 ? settings_.shape.first(block) : settings_.shape.weights(l);
  }
  static void transpose(std::size_t rows, std::size_t cols, const T* from, T* to) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < cols; ++c) to[c * rows + r] = from[r * cols + c];
  }

  // Calls visit(offset, rows, columns, squared signals, squared inputs) for each weight matrix of context i,
  // and for its biases.
  template <class Visit>
  void for_each_layer(const Features<T>& features, std::size_t i, std::span<T> squares, Visit&& visit) const {
    const NetworkShape& shape = settings_.shape;
    const std::size_t m = shape.units, d = shape.input.length, n = features.batch.n;
    T* const input = squares.data();
    T* const signal = input + std::max(d, m);
    const T one = 1, last = static_cast<T>(shape.scale * shape.scale);
    square(d, features.batch.x + i * features.batch.ldx, input);
    std::size_t inputs = d;
    for (std::size_t l = 1; l < shape.depth; ++l) {
      square(m, features.signals + (l - 1) * n * m + i * m, signal);
      visit(l == 1 ? shape.first(features.batch.blocks[i]) : shape.weights(l), m, inputs, signal, input);
      if (shape.biases) visit(shape.bias(l), 1, m, &one, signal);
      square(m, features.inputs + (l - 1) * n * m + i * m, input);
      inputs = m;
    }
    if (!last_layer_) return;
    visit(shape.weights(shape.depth), 1, m, &last, input);
    if (shape.biases) visit(shape.bias(shape.depth), 1, 1, &last, &one);
  }
  // What a sum has lost to rounding is added with the next term: after ten million rounds one more still counts.
  static void add(T term, T& sum, T& lost) {
    const T owed = term - lost, grown = sum + owed;
    lost = (grown - sum) - owed;
    sum = grown;
  }
  static void square(std::size_t n, const T* from, T* to) {
    for (std::size_t j = 0; j < n; ++j) to[j] = from[j] * from[j];
  }

  PosteriorSettings settings_;
  bool last_layer_;  // whether its weights are counted, too
  std::vector<T> u_, lost_, inverse_;
  std::vector<T> transposed_;  // of inverse_, layer by layer, once prepared; otherwise empty
  std::vector<T> squares_;  // working memory of grow(), which cannot fail
};

}  // namespace

template <class T>
std::unique_ptr<Posterior<T>> make_diagonal_posterior(const PosteriorSettings& settings) {
  return std::make_unique<DiagonalPosterior<T>>(settings, true);
}

template <class T>
std::unique_ptr<Posterior<T>> make_lower_diagonal_posterior(const PosteriorSettings& settings) {
  return std::make_unique<DiagonalPosterior<T>>(settings, false);
}

template std::unique_ptr<Posterior<float>> make_diagonal_posterior<float>(const PosteriorSettings&);
template std::unique_ptr<Posterior<double>> make_diagonal_posterior<double>(const PosteriorSettings&);
template std::unique_ptr<Posterior<float>> make_lower_diagonal_posterior<float>(const PosteriorSettings&);
template std::unique_ptr<Posterior<double>> make_lower_diagonal_posterior<double>(const PosteriorSettings&);

}  // namespace neuralts
