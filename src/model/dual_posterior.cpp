#include <algorithm>
#include <cmath>

#include "math/simd.hpp"
#include "model/exact_stages.hpp"

namespace neuralts {

// The difference of two nearly equal numbers: never let rounding make it zero or negative.
template <class T, class F>
void DualPosterior<T, F>::variance(const Features<T>& features, Scratch& scratch, std::span<double> out) const {
  constexpr double rounding = 1e-12;
  const std::size_t n = features.batch.n, t = factor_.size();
  const auto z = scratch.take<F>(n * t);
  factor_.whiten(features, scratch, z.data());
  for (std::size_t r = 0; r < n; ++r) {
    const double prior = tangent_square(settings_.shape, features, r) / settings_.normaliser;
    const double explained = static_cast<double>(math::dot(t, z.data() + r * t, z.data() + r * t));
    out[r] = std::max(prior - explained, rounding * prior);
  }
}

// det U = lambda^p det(I + G / lambda)
template <class T, class F>
double DualPosterior<T, F>::log_det() const {
  const double free = static_cast<double>(settings_.shape.parameters()) - static_cast<double>(factor_.size());
  return factor_.log_det() + free * std::log(settings_.lambda);
}

template <class T, class F>
void DualPosterior<T, F>::restart(double lambda) {
  settings_.lambda = lambda;
  factor_.clear(lambda);
}

template class DualPosterior<float, float>;
template class DualPosterior<float, double>;
template class DualPosterior<double, double>;

}  // namespace neuralts
