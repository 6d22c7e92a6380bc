#include "model/row_span.hpp"

#include <algorithm>

#include "math/simd.hpp"

namespace neuralts {

template <class T>
bool span_pays(const NetworkShape& shape, const History<T>& history, std::size_t steps) {
  constexpr double touching = 8;  // operations that fit in the time of reading and writing a parameter
  const double d = static_cast<double>(shape.input.length), m = static_cast<double>(shape.units),
               J = static_cast<double>(steps);
  double plain = touching * static_cast<double>(shape.input.dim()) * m * J, span = 0;
  for (const auto& block : history.blocks()) {
    const double n = static_cast<double>(block.rows());
    plain += J * 4 * n * d * m;
    span += J * 2 * n * n * m + n * n * d * 2 + 6 * n * d * m;
  }
  return span < plain;
}

template <class T>
RowSpan<T>::RowSpan(const Network<T>& network, const History<T>& history, const T* anchor)
    : history_(history), anchor_(anchor), m_(network.shape().units), blocks_(history.blocks().size()) {
  for (std::size_t k = 0; k < blocks_.size(); ++k) start(network, k, blocks_[k]);
}

template <class T>
void RowSpan<T>::start(const Network<T>& network, std::size_t k, Block& block) const {
  const std::size_t n = history_.blocks()[k].rows(), d = history_.shape().length, size = n * m_;
  const T* x = history_.blocks()[k].x.data();
  block.gram.resize(n * n);
  math::dots(n, n, d, x, d, x, d, block.gram.data(), n);
  block.started.resize(size);
  math::gemm<T>(n, m_, d, x, d, 1, network.theta().data() + network.shape().first(k), m_, 0,
                block.started.data(), m_);
  if (anchor_ != nullptr) {
    block.anchored.resize(size);
    math::gemm<T>(n, m_, d, x, d, 1, anchor_ + network.shape().first(k), m_, 0, block.anchored.data(), m_);
    math::axpy<T>(size, -1, block.anchored.data(), block.started.data());
  }
  block.c.assign(size, 0);
  block.velocity.assign(size, 0);
  block.signals.assign(size, 0);
}

template <class T>
void RowSpan<T>::products(std::size_t k, std::size_t row, std::size_t count, T* out) const {
  const Block& block = blocks_[k];
  const std::size_t n = history_.blocks()[k].rows(), at = row * m_, size = count * m_;
  if (block.anchored.empty())
    std::fill_n(out, size, T(0));
  else
    std::copy_n(block.anchored.data() + at, size, out);
  math::axpy(size, rho_, block.started.data() + at, out);
  math::gemm<T>(count, m_, n, block.gram.data() + row * n, n, 1, block.c.data(), m_, 1, out, m_);
}

template <class T>
void RowSpan<T>::step(T length, T momentum, T decay) {
  const T none = 0;
  for (Block& block : blocks_)
    math::momentum_step<T>(block.c.size(), block.c.data(), block.signals.data(), block.velocity.data(),
                           length, momentum, decay, nullptr);
  math::momentum_step<T>(1, &rho_, &none, &rho_velocity_, length, momentum, decay, nullptr);
}

// A + rho (W_start - A) + X'C, in place: what is there is still W_start.
template <class T>
void RowSpan<T>::finish(Network<T>& network) const {
  const std::size_t d = history_.shape().length, size = d * m_;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    T* w = network.mutable_theta().data() + network.shape().first(k);
    const T* anchor = anchor_ == nullptr ? nullptr : anchor_ + network.shape().first(k);
    for (std::size_t i = 0; i < size; ++i) w[i] = rho_ * w[i] + (anchor == nullptr ? 0 : (1 - rho_) * anchor[i]);
    const auto& rows = history_.blocks()[k];
    math::gemm<T>(d, m_, rows.rows(), rows.x.data(), 1, d, blocks_[k].c.data(), m_, 1, w, m_);
  }
}

template class RowSpan<float>;
template class RowSpan<double>;
template bool span_pays<float>(const NetworkShape&, const History<float>&, std::size_t);
template bool span_pays<double>(const NetworkShape&, const History<double>&, std::size_t);

}  // namespace neuralts
