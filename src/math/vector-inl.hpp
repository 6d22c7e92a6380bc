// What the inner loops share: vectors of the first n numbers of an array.
// Read once per target by Highway's foreach_target; the toggle is the include guard.

#if defined(NEURALTS_MATH_VECTOR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef NEURALTS_MATH_VECTOR_INL
#undef NEURALTS_MATH_VECTOR_INL
#else
#define NEURALTS_MATH_VECTOR_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
inline constexpr bool has_masked_memory = true;  // lanes masked out are neither read nor written
#else
inline constexpr bool has_masked_memory = false;
#endif

/// A product takes its factor out of a vector for nothing, where a broadcast takes a product's place: so factors are read
/// by the vector.
inline constexpr bool by_lane = HWY_TARGET == HWY_NEON;

/// The first n (<= lanes) numbers at p, zeros above; reads no further.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::VFromD<D> load_first(D d, const T* p, std::size_t n) {
  if constexpr (has_masked_memory) {
    return hn::MaskedLoad(hn::FirstN(d, n), d, p);
  } else {
    HWY_ALIGN T buffer[hn::MaxLanes(d)] = {};
    for (std::size_t i = 0; i < n; ++i) buffer[i] = p[i];
    return hn::Load(d, buffer);
  }
}

/// Writes the first n (<= lanes) numbers of v to p, nothing beyond.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_first(D d, hn::VFromD<D> v, T* p, std::size_t n) {
  if constexpr (has_masked_memory) {
    hn::BlendedStore(v, hn::FirstN(d, n), d, p);
  } else {
    HWY_ALIGN T buffer[hn::MaxLanes(d)];
    hn::Store(v, d, buffer);
    for (std::size_t i = 0; i < n; ++i) p[i] = buffer[i];
  }
}

/// A whole vector, or the last, short one of n numbers.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::VFromD<D> load_some(D d, const T* p, std::size_t n) {
  return n == hn::Lanes(d) ? hn::LoadU(d, p) : load_first(d, p, n);
}
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_some(D d, hn::VFromD<D> v, T* p, std::size_t n) {
  n == hn::Lanes(d) ? hn::StoreU(v, d, p) : store_first(d, v, p, n);
}

/// step(d, i, count) for all vectors of 0 .. n, the last one possibly short.
template <class T, class Step>
HWY_INLINE void for_each_vector(std::size_t n, const Step& step) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) step(d, i, lanes);
  if (i < n) step(d, i, n - i);
}

/// sums += factor row, vector by vector from the `First` on; unrolled, so that sums stay in registers.
template <std::size_t First = 0, std::size_t V, class Vector>
HWY_INLINE void add_row(Vector factor, const Vector (&row)[V], Vector (&sums)[V]) {
#pragma GCC unroll 8
  for (std::size_t v = First; v < V; ++v) sums[v] = hn::MulAdd(factor, row[v], sums[v]);
}

template <class D>
HWY_INLINE hn::TFromD<D> sum(D d, hn::VFromD<D> v) {
  return hn::GetLane(hn::SumOfLanes(d, v));
}

}  // namespace neuralts::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
