#include "model/network.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "math/layers.hpp"
#include "math/simd.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

using math::gemm;

std::size_t NetworkShape::weights(std::size_t l) const {
  const std::size_t bias = biases ? units : 0;
  return input.dim() * units + bias + (l - 2) * (units * units + bias);
}

std::size_t NetworkShape::bias(std::size_t l) const {
  if (l == 1) return input.dim() * units;
  return weights(l) + (l == depth ? units : units * units);
}

std::size_t NetworkShape::parameters() const { return weights(depth) + units + (biases ? 1 : 0); }

namespace {

template <class T>
void fill_normal(Stream& stream, double variance, std::span<T> values) {
  for (T& value : values) value = static_cast<T>(std::sqrt(variance) * stream.normal());
}

// W_1 = [W; W] / sqrt(2), W_l = blockdiag(W, W), W ~ N(0, 4/m); w_L = (w, -w), w ~ N(0, 2/m).
template <class T>
void initialise_paired(const NetworkShape& shape, Stream& stream, std::span<T> theta) {
  const std::size_t m = shape.units, half = m / 2;
  const double variance = 4.0 / static_cast<double>(m);
  for (std::size_t i = 0; i < shape.input.dim(); ++i) {
    const auto row = theta.subspan(i * m, m);
    fill_normal(stream, variance / 2, row.first(half));
    std::copy_n(row.begin(), half, row.begin() + static_cast<std::ptrdiff_t>(half));
  }
  for (std::size_t l = 2; l < shape.depth; ++l)
    for (std::size_t i = 0; i < half; ++i) {
      const auto upper = theta.subspan(shape.weights(l) + i * m, half);
      fill_normal(stream, variance, upper);
      std::copy(upper.begin(), upper.end(),
                theta.begin() + static_cast<std::ptrdiff_t>(shape.weights(l) + (i + half) * m + half));
    }
  const auto last = theta.subspan(shape.weights(shape.depth), m);
  fill_normal(stream, variance / 2, last.first(half));
  for (std::size_t j = 0; j < half; ++j) last[half + j] = -last[j];
}

template <class T>
void initialise_uniform(const NetworkShape& shape, Stream& stream, std::span<T> theta) {
  std::size_t at = 0;
  for (std::size_t l = 1; l <= shape.depth; ++l) {
    const std::size_t fan_in = l == 1 ? shape.input.dim() : shape.units;
    const std::size_t outputs = l == shape.depth ? 1 : shape.units;
    const std::size_t end = at + outputs * (fan_in + (shape.biases ? 1 : 0));
    for (; at < end; ++at)
      theta[at] = static_cast<T>((2 * stream.uniform() - 1) / std::sqrt(static_cast<double>(fan_in)));
  }
}

// How many contexts from i on stand in the same block.
template <class T>
std::size_t run_length(const Batch<T>& batch, std::size_t i) {
  std::size_t end = i + 1;
  while (end < batch.n && batch.blocks[end] == batch.blocks[i]) ++end;
  return end - i;
}

}  // namespace

template <class T>
Network<T>::Network(const NetworkShape& shape, Initialisation initialisation, std::uint64_t seed)
    : Network(shape, std::vector<T>(shape.parameters())) {
  Stream stream(seed, Purpose::initialisation);
  if (initialisation == Initialisation::uniform) {
    initialise_uniform(shape, stream, std::span(theta_));
  } else {
    if (shape.units % 2 != 0)
      throw ContractError("the paired initialisation needs an even number of units, not " +
                          std::to_string(shape.units));
    initialise_paired(shape, stream, std::span(theta_));
  }
  refresh();
}

template <class T>
Network<T>::Network(const NetworkShape& shape, std::vector<T> theta)
    : shape_(shape),
      theta_(std::move(theta)),
      transposed_(shape.depth > 2 ? (shape.depth - 2) * shape.units * shape.units : 0) {
  refresh();
}

template <class T>
void Network<T>::refresh() {
  const std::size_t m = shape_.units;
  for (std::size_t l = 2; l < shape_.depth; ++l) {
    const T* from = theta_.data() + shape_.weights(l);
    T* to = transposed_.data() + (l - 2) * m * m;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j) to[j * m + i] = from[i * m + j];
  }
}

template <class T>
bool Network<T>::halves_cancel() const {
  const std::size_t m = shape_.units, half = m / 2;
  if (m % 2 != 0) return false;
  const auto equal = [&](std::size_t a, std::size_t b) {
    return std::equal(theta_.begin() + static_cast<std::ptrdiff_t>(a),
                      theta_.begin() + static_cast<std::ptrdiff_t>(a + half),
                      theta_.begin() + static_cast<std::ptrdiff_t>(b));
  };
  const std::size_t last = shape_.weights(shape_.depth);
  for (std::size_t j = 0; j < half; ++j)
    if (theta_[last + j] != -theta_[last + half + j]) return false;
  if (shape_.biases && theta_[shape_.bias(shape_.depth)] != 0) return false;
  for (std::size_t l = 1; shape_.biases && l < shape_.depth; ++l)
    if (!equal(shape_.bias(l), shape_.bias(l) + half)) return false;
  for (std::size_t l = 2; l < shape_.depth; ++l)
    for (std::size_t i = 0; i < half; ++i) {
      const std::size_t upper = shape_.weights(l) + i * m, lower = upper + half * m;
      if (!equal(upper, lower + half) || !equal(upper + half, lower)) return false;
    }
  for (std::size_t i = 0; i < shape_.input.dim(); ++i)
    if (!equal(i * m, i * m + half)) return false;
  return true;
}

template <class T>
void Network<T>::forward(const Batch<T>& batch, T* inputs, T* out) const {
  const std::size_t n = batch.n, m = shape_.units, d = shape_.input.length;
  const T* theta = theta_.data();
  for (std::size_t i = 0; i < n;) {
    const std::size_t run = run_length(batch, i);
    gemm<T>(run, m, d, batch.x + i * batch.ldx, batch.ldx, 1, theta + shape_.first(batch.blocks[i]), m, 0,
            inputs + i * m, m);
    i += run;
  }
  forward_from_products(n, inputs, out);
}

template <class T>
void Network<T>::forward_from_products(std::size_t n, T* inputs, T* out) const {
  const std::size_t m = shape_.units;
  const T* theta = theta_.data();
  math::rectify(n, m, shape_.biases ? theta + shape_.bias(1) : nullptr, inputs);
  for (std::size_t l = 2; l < shape_.depth; ++l, inputs += n * m) {
    gemm<T>(n, m, m, inputs, m, 1, theta + shape_.weights(l), m, 0, inputs + n * m, m);
    math::rectify(n, m, shape_.biases ? theta + shape_.bias(l) : nullptr, inputs + n * m);
  }
  const T* last = theta + shape_.weights(shape_.depth);
  const T bias = shape_.biases ? theta[shape_.bias(shape_.depth)] : 0;
  math::dots(n, 1, m, inputs, m, last, m, out, 1);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<T>(shape_.scale) * (out[i] + bias);
}

template <class T>
void Network<T>::backward(std::size_t n, const T* inputs, const T* weights, T* signals) const {
  const std::size_t m = shape_.units, layer = n * m;
  const T* last = theta_.data() + shape_.weights(shape_.depth);
  std::size_t l = shape_.hidden();
  math::send_back(n, m, weights, static_cast<T>(shape_.scale), last, inputs + (l - 1) * layer,
                  signals + (l - 1) * layer);
  for (; l > 1; --l) {
    const T* above = signals + (l - 1) * layer;
    T* below = signals + (l - 2) * layer;
    gemm<T>(n, m, m, above, m, 1, transposed_.data() + (l - 2) * m * m, m, 0, below, m);
    math::keep_active(layer, inputs + (l - 2) * layer, below);
  }
}

template <class T>
void Network<T>::accumulate(const Features<T>& features, const T* weights, T* gradient) const {
  const Batch<T>& batch = features.batch;
  const std::size_t n = batch.n, m = shape_.units, d = shape_.input.length;
  for (std::size_t i = 0; i < n;) {
    const std::size_t run = run_length(batch, i);
    gemm<T>(d, m, run, batch.x + i * batch.ldx, 1, batch.ldx, features.signals + i * m, m, 1,
            gradient + shape_.first(batch.blocks[i]), m);
    i += run;
  }
  accumulate_above(n, features.inputs, features.signals, weights, gradient);
}

template <class T>
void Network<T>::accumulate_above(std::size_t n, const T* inputs, const T* signals, const T* weights,
                                  T* gradient) const {
  const std::size_t m = shape_.units, layer = n * m;
  for (std::size_t l = 2; l < shape_.depth; ++l)
    gemm<T>(m, m, n, inputs + (l - 2) * layer, 1, m, signals + (l - 1) * layer, m, 1,
            gradient + shape_.weights(l), m);
  accumulate_last(n, inputs + (shape_.hidden() - 1) * layer, weights, gradient);
  if (!shape_.biases) return;
  const T one = 1;
  for (std::size_t l = 1; l < shape_.depth; ++l)
    gemm<T>(1, m, n, &one, 0, 0, signals + (l - 1) * layer, m, 1, gradient + shape_.bias(l), m);
}

// The last layer's part. Its weights get the factor `scale` a few rounds at a time, so that nothing is allocated.
template <class T>
void Network<T>::accumulate_last(std::size_t n, const T* inputs, const T* weights, T* gradient) const {
  const std::size_t m = shape_.units;
  std::array<T, 64> scaled;
  for (std::size_t i = 0; i < n; i += scaled.size()) {
    const std::size_t count = std::min(scaled.size(), n - i);
    std::transform(weights + i, weights + i + count, scaled.begin(),
                   [this](T w) { return static_cast<T>(shape_.scale) * w; });
    gemm<T>(1, m, count, scaled.data(), count, 1, inputs + i * m, m, 1, gradient + shape_.weights(shape_.depth), m);
    if (shape_.biases)
      gradient[shape_.bias(shape_.depth)] += std::accumulate(
          scaled.begin(), scaled.begin() + static_cast<std::ptrdiff_t>(count), T(0));
  }
}

template <class T>
void tangent_gram(const NetworkShape& shape, const Features<T>& a, const Features<T>& b, T* gram) {
  const std::size_t m = shape.units, d = shape.input.length;
  const T one = shape.biases ? 1 : 0;
  const T scale2 = static_cast<T>(shape.scale * shape.scale);
  const auto row = [m](const T* layers, std::size_t n, std::size_t l, std::size_t i) {
    return layers + (l - 1) * n * m + i * m;
  };
  for (std::size_t i = 0; i < a.batch.n; ++i)
    for (std::size_t j = 0; j < b.batch.n; ++j) {
      const bool same = a.batch.blocks[i] == b.batch.blocks[j];
      T input = (same ? math::dot(d, a.batch.x + i * a.batch.ldx, b.batch.x + j * b.batch.ldx) : 0) + one;
      T sum = 0;
      for (std::size_t l = 1; l < shape.depth; ++l) {
        sum += input * math::dot(m, row(a.signals, a.batch.n, l, i), row(b.signals, b.batch.n, l, j));
        input = math::dot(m, row(a.inputs, a.batch.n, l, i), row(b.inputs, b.batch.n, l, j)) + one;
      }
      gram[i * b.batch.n + j] = sum + scale2 * input;
    }
}

template <class T>
double tangent_square(const NetworkShape& shape, const Features<T>& features, std::size_t i) {
  const std::size_t m = shape.units, n = features.batch.n;
  const double one = shape.biases ? 1 : 0;
  const auto square = [](std::size_t size, const T* x) { return static_cast<double>(math::dot(size, x, x)); };
  double input = square(shape.input.length, features.batch.x + i * features.batch.ldx) + one, sum = 0;
  for (std::size_t l = 0; l < shape.hidden(); ++l) {
    sum += input * square(m, features.signals + l * n * m + i * m);
    input = square(m, features.inputs + l * n * m + i * m) + one;
  }
  return sum + shape.scale * shape.scale * input;
}

template class Network<float>;
template class Network<double>;
template void tangent_gram<float>(const NetworkShape&, const Features<float>&, const Features<float>&, float*);
template void tangent_gram<double>(const NetworkShape&, const Features<double>&, const Features<double>&, double*);
template double tangent_square<float>(const NetworkShape&, const Features<float>&, std::size_t);
template double tangent_square<double>(const NetworkShape&, const Features<double>&, std::size_t);

}  // namespace neuralts
