#include "model/dual_factor.hpp"

#include <algorithm>
#include <cmath>

namespace neuralts {

template <class T, class F>
void DualFactor<T, F>::whiten(const Features<T>& features, Scratch& scratch, F* z) const {
  const std::size_t n = features.batch.n, t = size();
  store_.meet(features, scratch, z, t);
  const F share = static_cast<F>(1 / normaliser_);
  for (std::size_t i = 0; i < n * t; ++i) z[i] *= share;
  factor_.solve(n, z, t);
}

template <class T, class F>
void DualFactor<T, F>::grow(const Features<T>& features) {
  const std::size_t n = features.batch.n, t = size();
  Scratch scratch;
  std::vector<F> z(n * t);
  whiten(features, scratch, z.data());
  std::vector<T> gram(n * n);
  tangent_gram(shape_, features, features, gram.data());
  std::vector<double> self(n * n);
  for (std::size_t i = 0; i < n * n; ++i) self[i] = static_cast<double>(gram[i]) / normaliser_;
  double floor = shift_, log_weights = log_weights_;
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = static_cast<double>(features.weight(i)), shift = shift_ / weight;
    self[i * n + i] += shift;
    floor = std::min(floor, shift);
    log_weights += std::log(weight);
  }
  try {
    factor_.append_block(n, z.data(), t, self.data(), floor);
    store_.append(features);
  } catch (...) {
    factor_.truncate(t);
    store_.truncate(t);
    throw;
  }
  log_weights_ = log_weights;
}

template <class T, class F>
void DualFactor<T, F>::clear(double shift) {
  shift_ = shift;
  log_weights_ = 0;
  store_.clear();
  factor_.clear();
}

template <class T, class F>
void DualFactor<T, F>::save(Writer& out) const {
  out.value(shift_);
  out.value(log_weights_);
  store_.save(out);
  out.values(factor_.packed());
}

template <class T, class F>
void DualFactor<T, F>::load(Reader& in) {
  shift_ = in.value<double>();
  log_weights_ = in.value<double>();
  store_.load(in);
  factor_.restore(size(), in.values<F>(size() * (size() + 1) / 2));
}

template class DualFactor<float, float>;
template class DualFactor<float, double>;
template class DualFactor<double, double>;

}  // namespace neuralts
