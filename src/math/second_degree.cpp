#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/second_degree.cpp"
#include <hwy/foreach_target.h>

#include <numbers>

#include "math/second_degree.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

/// The first n (<= lanes) numbers at p, as doubles.
template <class D>
HWY_INLINE hn::VFromD<D> load_wide(D d, const double* p, std::size_t n) {
  return load_some(d, p, n);
}
template <class D>
HWY_INLINE hn::VFromD<D> load_wide(D d, const float* p, std::size_t n) {
  return hn::PromoteTo(d, load_some(hn::Rebind<float, D>(), p, n));
}

/// out = factor x
template <class T>
HWY_INLINE void scale(std::size_t n, double factor, const T* x, double* out) {
  for_each_vector<double>(n, [&](auto d, std::size_t i, std::size_t count) HWY_ATTR {
    store_some(d, hn::Mul(hn::Set(d, factor), load_wide(d, x + i, count)), out + i, count);
  });
}

// A square is not twice a product: each row is written whole, then its first number again.
template <class T>
HWY_INLINE void second_degree_here(std::size_t d, const T* x, double* out) {
  scale(d, std::numbers::sqrt2, x, out);
  out[d] = 1;
  double* to = out + d + 1;
  for (std::size_t i = 0; i < d; to += d - i, ++i) {
    const auto xi = static_cast<double>(x[i]);
    scale(d - i, std::numbers::sqrt2 * xi, x + i, to);
    to[0] = xi * xi;
  }
}

void second_degree_float(std::size_t d, const float* x, double* out) { second_degree_here(d, x, out); }
void second_degree_double(std::size_t d, const double* x, double* out) { second_degree_here(d, x, out); }

}  // namespace neuralts::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace neuralts::math {

HWY_EXPORT(second_degree_float);
HWY_EXPORT(second_degree_double);

template <>
void second_degree(std::size_t d, const float* x, double* out) {
  HWY_DYNAMIC_DISPATCH(second_degree_float)(d, x, out);
}
template <>
void second_degree(std::size_t d, const double* x, double* out) {
  HWY_DYNAMIC_DISPATCH(second_degree_double)(d, x, out);
}

}  // namespace neuralts::math
#endif
