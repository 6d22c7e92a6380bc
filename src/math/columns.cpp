#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/columns.cpp"
#include <hwy/foreach_target.h>

#include "math/columns.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

// The loops over vectors and columns must unroll wholly, or sums live in memory.
template <std::size_t J, std::size_t B, class D, class T>
HWY_INLINE void eliminate_vector(D d, const Columns<const T>& c, const T* y, std::size_t ldy, T* v, std::size_t ldv, std::size_t i, std::size_t count) {
  hn::VFromD<D> rest[B];
#pragma GCC unroll 4
  for (std::size_t b = 0; b < B; ++b) rest[b] = load_some(d, v + b * ldv + i, count);
#pragma GCC unroll 8
  for (std::size_t j = 0; j < J; ++j) {
    const auto column = load_some(d, c.l + j * c.ldl + i, count);
#pragma GCC unroll 4
    for (std::size_t b = 0; b < B; ++b) rest[b] = hn::NegMulAdd(hn::Set(d, y[b * ldy + j]), column, rest[b]);
  }
#pragma GCC unroll 4
  for (std::size_t b = 0; b < B; ++b) store_some(d, rest[b], v + b * ldv + i, count);
}

template <std::size_t J, std::size_t B, class T>
HWY_NOINLINE void eliminate_tile(const Columns<const T>& c, const T* HWY_RESTRICT y, std::size_t ldy, T* HWY_RESTRICT v, std::size_t ldv) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= c.n; i += lanes) eliminate_vector<J, B>(d, c, y, ldy, v, ldv, i, lanes);
  if (i < c.n) eliminate_vector<J, B>(d, c, y, ldy, v, ldv, i, c.n - i);
}

template <std::size_t J, std::size_t B, class T>
void eliminate_vectors(const Columns<const T>& c, std::size_t count, const T* y, std::size_t ldy, T* v, std::size_t ldv) {
  for (; count >= B; count -= B, y += B * ldy, v += B * ldv) eliminate_tile<J, B>(c, y, ldy, v, ldv);
  if constexpr (B > 1)
    if (count > 0) eliminate_vectors<J, B / 2>(c, count, y, ldy, v, ldv);
}

template <std::size_t J, class T>
void eliminate_columns(Columns<const T> c, std::size_t B, const T* y, std::size_t ldy, T* v, std::size_t ldv) {
  for (; c.J >= J; c.J -= J, c.l += J * c.ldl, y += J) eliminate_vectors<J, 4>(c, B, y, ldy, v, ldv);
  if constexpr (J > 1)
    if (c.J > 0) eliminate_columns<(J > 2 ? J / 4 : 1)>(c, B, y, ldy, v, ldv);
}

template <std::size_t B, class D, class T>
HWY_INLINE void multiply_vector(D d, const Columns<T>& c, const T* scale, const T* p, const T* w, T* s, std::size_t lds, std::size_t i,
                                std::size_t count) {
  hn::VFromD<D> sums[B];
#pragma GCC unroll 8
  for (std::size_t b = 0; b < B; ++b) sums[b] = load_some(d, s + b * lds + i, count);
  for (std::size_t j = c.J; j-- > 0;) {
    T* const column = c.l + j * c.ldl + i;
    const auto old = load_some(d, column, count);
    auto even = hn::Mul(hn::Set(d, scale[j]), old), odd = hn::Zero(d);  // two chains: a shorter wait for each addition
#pragma GCC unroll 8
    for (std::size_t b = 0; b < B; ++b) {
      if (b % 2 == 0)
        even = hn::MulAdd(hn::Set(d, p[j * B + b]), sums[b], even);
      else
        odd = hn::MulAdd(hn::Set(d, p[j * B + b]), sums[b], odd);
      sums[b] = hn::MulAdd(hn::Set(d, w[j * B + b]), old, sums[b]);
    }
    store_some(d, hn::Add(even, odd), column, count);
  }
#pragma GCC unroll 8
  for (std::size_t b = 0; b < B; ++b) store_some(d, sums[b], s + b * lds + i, count);
}

template <std::size_t B, class T>
HWY_NOINLINE void multiply_tile(const Columns<T>& c, const T* HWY_RESTRICT scale, const T* HWY_RESTRICT p, const T* HWY_RESTRICT w,
                                T* HWY_RESTRICT s, std::size_t lds) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= c.n; i += lanes) multiply_vector<B>(d, c, scale, p, w, s, lds, i, lanes);
  if (i < c.n) multiply_vector<B>(d, c, scale, p, w, s, lds, i, c.n - i);
}

template <class T>
void multiply_here(const Columns<T>& c, std::size_t B, const T* scale, const T* p, const T* w, T* s, std::size_t lds) {
  switch (B) {
    case 0: return;
    case 1: return multiply_tile<1>(c, scale, p, w, s, lds);
    case 2: return multiply_tile<2>(c, scale, p, w, s, lds);
    case 3: return multiply_tile<3>(c, scale, p, w, s, lds);
    case 4: return multiply_tile<4>(c, scale, p, w, s, lds);
    case 5: return multiply_tile<5>(c, scale, p, w, s, lds);
    case 6: return multiply_tile<6>(c, scale, p, w, s, lds);
    case 7: return multiply_tile<7>(c, scale, p, w, s, lds);
    default: return multiply_tile<most_factors>(c, scale, p, w, s, lds);
  }
}

#define NEURALTS_COLUMNS(T)                                                                                              \
  void eliminate_##T(const Columns<const T>& c, std::size_t B, const T* y, T* v, std::size_t ldv) {                      \
    eliminate_columns<8>(c, B, y, c.J, v, ldv);                                                                          \
  }                                                                                                                      \
  void multiply_##T(const Columns<T>& c, std::size_t B, const T* scale, const T* p, const T* w, T* s, std::size_t lds) { \
    multiply_here(c, B, scale, p, w, s, lds);                                                                            \
  }
NEURALTS_COLUMNS(float)
NEURALTS_COLUMNS(double)
#undef NEURALTS_COLUMNS

}  // namespace neuralts::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace neuralts::math {

#define NEURALTS_DISPATCH(T)                                                                                                  \
  HWY_EXPORT(eliminate_##T);                                                                                                  \
  HWY_EXPORT(multiply_##T);                                                                                                   \
  template <>                                                                                                                 \
  void eliminate(const Columns<const T>& columns, std::size_t B, const T* y, T* v, std::size_t ldv) {                         \
    HWY_DYNAMIC_DISPATCH(eliminate_##T)(columns, B, y, v, ldv);                                                               \
  }                                                                                                                           \
  template <>                                                                                                                 \
  void multiply(const Columns<T>& columns, std::size_t B, const T* scale, const T* p, const T* w, T* s, std::size_t lds) {    \
    HWY_DYNAMIC_DISPATCH(multiply_##T)(columns, B, scale, p, w, s, lds);                                                      \
  }
NEURALTS_DISPATCH(float)
NEURALTS_DISPATCH(double)
#undef NEURALTS_DISPATCH

}  // namespace neuralts::math
#endif
