// The paper's approximation: only the diagonal of U. Layer l's share of g^2 is the outer product of squares, so both verbs are
// bilinear forms over a matrix of the layer's shape. It is kept output-major, unlike theta: the rows of units that are not
// active, about half of them, are then never read.
#include <algorithm>
#include <cmath>

#include "math/simd.hpp"
#include "model/posterior.hpp"

namespace neuralts {

namespace {

template <class T>
class DiagonalPosterior final : public Posterior<T> {
 public:
  explicit DiagonalPosterior(const PosteriorSettings& settings) : settings_(settings) { restart(settings.lambda); }

  void restart(double lambda) override {
    settings_.lambda = lambda;
    u_.assign(settings_.shape.parameters(), static_cast<T>(lambda));
    inverse_.assign(u_.size(), 1 / static_cast<T>(lambda));  // as load() computes it, to the last bit
  }

  void variance(const Features<T>& features, Scratch& scratch, std::span<double> out) const override {
    const NetworkShape& shape = settings_.shape;
    const auto squares = scratch.take<T>(shape.input.length + 2 * shape.units);
    for (std::size_t i = 0; i < features.batch.n; ++i) {
      T sum = 0;
      for_each_layer(features, i, squares, [&](std::size_t at, std::size_t rows, std::size_t cols, const T* row, const T* col) {
        sum += math::bilinear(rows, cols, row, col, inverse_.data() + at, cols);
      });
      out[i] = static_cast<double>(sum) * settings_.lambda / settings_.normaliser;
    }
  }

  bool batching_helps() const override { return false; }

  void grow(const Features<T>& features) override {
    const NetworkShape& shape = settings_.shape;
    std::vector<T> squares(shape.input.length + 2 * shape.units);
    for (std::size_t i = 0; i < features.batch.n; ++i) {
      const T share = static_cast<T>(1 / settings_.normaliser) * features.weight(i);
      for_each_layer(features, i, std::span(squares), [&](std::size_t at, std::size_t rows, std::size_t cols, const T* row, const T* col) {
        for (std::size_t r = 0; r < rows; ++r) {
          if (row[r] == 0) continue;
          T* u = u_.data() + at + r * cols;
          T* inverse = inverse_.data() + at + r * cols;
          for (std::size_t j = 0; j < cols; ++j) u[j] += share * row[r] * col[j];
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
  std::size_t memory() const override { return (u_.size() + inverse_.size()) * sizeof(T); }
  std::unique_ptr<Posterior<T>> clone() const override { return std::make_unique<DiagonalPosterior>(*this); }
  void save(Writer& out) const override {
    out.value(settings_.lambda);
    out.values(u_);
  }
  void load(Reader& in) override {
    settings_.lambda = in.value<double>();
    u_ = in.values<T>(u_.size());
    std::transform(u_.begin(), u_.end(), inverse_.begin(), [](T u) { return 1 / u; });
  }

 private:
  // Calls visit(offset, rows, columns, squared signals, squared inputs) for each weight matrix of context i, and for its biases.
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
    visit(shape.weights(shape.depth), 1, m, &last, input);
    if (shape.biases) visit(shape.bias(shape.depth), 1, 1, &last, &one);
  }
  static void square(std::size_t n, const T* from, T* to) {
    for (std::size_t j = 0; j < n; ++j) to[j] = from[j] * from[j];
  }

  PosteriorSettings settings_;
  std::vector<T> u_, inverse_;
};

}  // namespace

template <class T>
std::unique_ptr<Posterior<T>> make_diagonal_posterior(const PosteriorSettings& settings) {
  return std::make_unique<DiagonalPosterior<T>>(settings);
}

template std::unique_ptr<Posterior<float>> make_diagonal_posterior<float>(const PosteriorSettings&);
template std::unique_ptr<Posterior<double>> make_diagonal_posterior<double>(const PosteriorSettings&);

}  // namespace neuralts
