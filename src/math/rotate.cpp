// Plane rotations, up to 4 x 4 of them a load: a vector of each V row stays in a register while the rows of L pass by.
#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/rotate.cpp"
#include <hwy/foreach_target.h>

#include <cstddef>

#include "math/product.hpp"
#include "math/simd.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

template <std::size_t J, std::size_t B, class D, class T>
HWY_INLINE void rotate_vector(D d, const Rotations<T>& p, std::size_t i, std::size_t count) {
  hn::VFromD<D> v[B];
#pragma GCC unroll 4
  for (std::size_t b = 0; b < B; ++b) v[b] = load_some(d, p.v + b * p.ldv + i, count);
#pragma GCC unroll 4
  for (std::size_t j = 0; j < J; ++j) {
    auto l = load_some(d, p.l + j * p.ldl + i, count);
#pragma GCC unroll 4
    for (std::size_t b = 0; b < B; ++b) {
      const auto c = hn::Set(d, p.cosine[j * p.stride + b]), s = hn::Set(d, p.sine[j * p.stride + b]);
      const auto turned = hn::MulAdd(c, l, hn::Mul(s, v[b]));
      v[b] = hn::NegMulAdd(s, l, hn::Mul(c, v[b]));
      l = turned;
    }
    store_some(d, l, p.l + j * p.ldl + i, count);
  }
#pragma GCC unroll 4
  for (std::size_t b = 0; b < B; ++b) store_some(d, v[b], p.v + b * p.ldv + i, count);
}

template <std::size_t J, std::size_t B, class T>
HWY_NOINLINE void rotate_tile(const Rotations<T>& p) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= p.n; i += lanes) rotate_vector<J, B>(d, p, i, lanes);
  if (i < p.n) rotate_vector<J, B>(d, p, i, p.n - i);
}

template <std::size_t J, std::size_t B, class T>
HWY_INLINE void rotate_vectors(Rotations<T> p) {
  for (; p.B >= B; p.B -= B, p.v += B * p.ldv, p.cosine += B, p.sine += B) rotate_tile<J, B>(p);
  if constexpr (B > 1)
    if (p.B > 0) rotate_vectors<J, B / 2>(p);
}

template <std::size_t J, class T>
HWY_INLINE void rotate_rows(Rotations<T> p) {
  for (; p.J >= J; p.J -= J, p.l += J * p.ldl, p.cosine += J * p.stride, p.sine += J * p.stride) rotate_vectors<J, 4>(p);
  if constexpr (J > 1)
    if (p.J > 0) rotate_rows<J / 2>(p);
}

void rotate_float(const Rotations<float>& p) { rotate_rows<4>(p); }
void rotate_double(const Rotations<double>& p) { rotate_rows<4>(p); }

}  // namespace neuralts::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace neuralts::math {
HWY_EXPORT(rotate_float);
HWY_EXPORT(rotate_double);

template <>
void rotate(std::size_t n, std::size_t J, float* l, std::size_t ldl, std::size_t B, float* v, std::size_t ldv, const float* cosine,
            const float* sine) {
  HWY_DYNAMIC_DISPATCH(rotate_float)({n, J, B, l, ldl, v, ldv, cosine, sine, B});
}
template <>
void rotate(std::size_t n, std::size_t J, double* l, std::size_t ldl, std::size_t B, double* v, std::size_t ldv, const double* cosine,
            const double* sine) {
  HWY_DYNAMIC_DISPATCH(rotate_double)({n, J, B, l, ldl, v, ldv, cosine, sine, B});
}

}  // namespace neuralts::math
#endif
