#include "model/kernel_path.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "math/simd.hpp"

namespace neuralts {

namespace {

constexpr double affordable_numbers = 5e4;  // of all factors together

// From the difference itself: |x|^2 + |y|^2 - 2 x.y would lose half the digits of nearly equal contexts.
template <class T>
double kernel(std::size_t d, const T* x, const float* y) {
  constexpr std::size_t lanes = 4;
  std::array<double, lanes> sums{};
  const auto squared = [&](std::size_t i) {
    const double apart = static_cast<double>(x[i]) - static_cast<double>(y[i]);
    return apart * apart;
  };
  std::size_t i = 0;
  for (; i + lanes <= d; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += squared(i + lane);
  for (; i < d; ++i) sums[0] += squared(i);
  return std::exp(-std::sqrt((sums[0] + sums[1]) + (sums[2] + sums[3])));
}

}  // namespace

KernelPath::KernelPath(const Shape& shape, bool speaks)
    : shape_(shape),
      most_points_(static_cast<std::size_t>(std::sqrt(2 * affordable_numbers / static_cast<double>(shape.blocks)))),
      blocks_(speaks ? shape.blocks : 0),
      cursor_(speaks ? shape.blocks : 0) {}

void KernelPath::restart(double lambda) {
  lambda_ = lambda;
  blocks_.assign(blocks_.size(), {});
  cursor_.restart();
}

template <class T>
void KernelPath::catch_up(const History<T>& history, const RoundWeights<T>& weights, std::size_t most) {
  cursor_.advance(history, most, [&](std::size_t k, std::size_t first, std::size_t last) {
    take_in<T>(history.blocks()[k], weights.empty() ? nullptr : weights[k].data(), first, last, blocks_[k]);
  });
}

// A call that throws has changed nothing.
template <class T>
void KernelPath::take_in(const typename History<T>::Block& rounds, const T* weights, std::size_t first,
                         std::size_t last, Block& block) {
  const std::size_t before = block.size(), d = shape_.length;
  try {
    for (std::size_t row = first; row < last && block.size() < most_points_; ++row) {
      const double weight = weights == nullptr ? 1 : static_cast<double>(weights[row]);
      if (!(weight > 0)) continue;
      const T* x = rounds.x.data() + row * d;
      std::transform(x, x + d, std::back_inserter(block.points), [](T value) { return static_cast<float>(value); });
      add(static_cast<double>(rounds.rewards[row]), weight, block);
    }
    if (block.size() == before) return;
    auto alpha = block.whitened;
    block.factor.solve_transposed(alpha.data());
    block.alpha = std::move(alpha);
  } catch (...) {
    block.truncate(before, d);
    throw;
  }
}

// The last of the points, which is not yet in the factor. A weight w is a noise of lambda / w.
void KernelPath::add(double reward, double weight, Block& block) {
  const std::size_t n = block.size(), d = shape_.length;
  const float* x = block.points.data() + n * d;
  row_.resize(n);
  for (std::size_t i = 0; i < n; ++i) row_[i] = kernel(d, x, block.points.data() + i * d);
  block.factor.solve(1, row_.data(), n);
  const double noise = lambda_ / weight, pivot = 1 + noise - math::dot(n, row_.data(), row_.data());
  block.factor.append(row_.data(), pivot, noise);
  block.whitened.push_back((reward - math::dot(n, row_.data(), block.whitened.data())) /
                           std::sqrt(std::max(pivot, noise)));
}

void KernelPath::Block::truncate(std::size_t n, std::size_t d) noexcept {
  points.resize(n * d);
  whitened.resize(n);
  factor.truncate(std::min(factor.size(), n));
}

template <class T>
double KernelPath::mean(const T* x, std::size_t block) const {
  const Block& own = blocks_[block];
  double sum = 0;
  for (std::size_t i = 0; i < own.alpha.size(); ++i)
    sum += own.alpha[i] * kernel(shape_.length, x, own.points.data() + i * shape_.length);
  return sum;
}

std::size_t KernelPath::memory() const {
  std::size_t bytes = cursor_.memory() + row_.capacity() * sizeof(double);
  for (const Block& block : blocks_)
    bytes += block.factor.memory() + block.points.capacity() * sizeof(float) +
             (block.whitened.capacity() + block.alpha.capacity()) * sizeof(double);
  return bytes;
}

void KernelPath::save(Writer& out) const {
  if (!speaks()) return;
  out.value(lambda_);
  cursor_.save(out);
  for (const Block& block : blocks_) {
    out.values(block.whitened);
    out.values(block.points);
    out.values(block.alpha);
    out.values(block.factor.packed());
  }
}

void KernelPath::load(Reader& in) {
  if (!speaks()) return;
  restart(in.value<double>());
  cursor_.load(in);
  for (Block& block : blocks_) {
    block.whitened = in.values<double>();
    const std::size_t n = block.size();
    if (n > most_points_) in.fail();
    block.points = in.values<float>(n * shape_.length);
    block.alpha = in.values<double>(n);
    block.factor.restore(n, in.values<double>(n * (n + 1) / 2));
  }
}

template void KernelPath::catch_up<float>(const History<float>&, const RoundWeights<float>&, std::size_t);
template void KernelPath::catch_up<double>(const History<double>&, const RoundWeights<double>&, std::size_t);
template double KernelPath::mean<float>(const float*, std::size_t) const;
template double KernelPath::mean<double>(const double*, std::size_t) const;

}  // namespace neuralts
