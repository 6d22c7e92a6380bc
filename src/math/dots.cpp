// C = A B', a table of long inner products: tiles of 4 x 4 sums in registers share every vector they load four
// times.
#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/dots.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cstddef>

#include "math/product.hpp"
#include "math/simd.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr std::size_t tile = 4;  // 16 sums and 8 operands, of 32 registers
#else
inline constexpr std::size_t tile = 2;  // of 16 registers
#endif

template <std::size_t R, std::size_t Q, class D, class V, class Load>
HWY_INLINE void add_products(D, V (&sums)[R][Q], const Load& load) {
  V right[Q];
#pragma GCC unroll 4
  for (std::size_t q = 0; q < Q; ++q) right[q] = load.right(q);
#pragma GCC unroll 4
  for (std::size_t r = 0; r < R; ++r) {
    const V left = load.left(r);
#pragma GCC unroll 4
    for (std::size_t q = 0; q < Q; ++q) sums[r][q] = hn::MulAdd(left, right[q], sums[r][q]);
  }
}

// Rows r of A and q of B, a vector at position i of each.
template <class D, class T>
struct Whole {
  D d;
  const Table<T>& t;
  std::size_t i;
  HWY_INLINE hn::VFromD<D> left(std::size_t r) const { return hn::LoadU(d, t.a + r * t.lda + i); }
  HWY_INLINE hn::VFromD<D> right(std::size_t q) const { return hn::LoadU(d, t.b + q * t.ldb + i); }
};
template <class D, class T>
struct Short {
  D d;
  const Table<T>& t;
  std::size_t i;
  HWY_INLINE hn::VFromD<D> left(std::size_t r) const { return load_first(d, t.a + r * t.lda + i, t.K - i); }
  HWY_INLINE hn::VFromD<D> right(std::size_t q) const { return load_first(d, t.b + q * t.ldb + i, t.K - i); }
};

template <std::size_t R, std::size_t Q, class D, class T>
HWY_NOINLINE void table_tile(D d, const Table<T>& t) {
  hn::VFromD<D> sums[R][Q];
#pragma GCC unroll 4
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (std::size_t q = 0; q < Q; ++q) sums[r][q] = hn::Zero(d);
  std::size_t i = 0;
  for (const std::size_t lanes = hn::Lanes(d); i + lanes <= t.K; i += lanes)
    add_products(d, sums, Whole<D, T>{d, t, i});
  if (i < t.K) add_products(d, sums, Short<D, T>{d, t, i});
#pragma GCC unroll 4
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (std::size_t q = 0; q < Q; ++q) {
      T& out = t.c[r * t.ldc + q];
      out = sum(d, sums[r][q]) + (t.accumulate ? out : T(0));
    }
}

template <std::size_t R, std::size_t Q, class D, class T>
HWY_INLINE void table_columns(D d, Table<T> t) {
  for (; t.N >= Q; t.N -= Q, t.b += Q * t.ldb, t.c += Q) table_tile<R, Q>(d, t);
  if constexpr (Q > 1)
    if (t.N > 0) table_columns<R, Q / 2>(d, t);
}

template <std::size_t R, class D, class T>
HWY_INLINE void table_rows(D d, Table<T> t) {
  for (; t.M >= R; t.M -= R, t.a += R * t.lda, t.c += R * t.ldc) table_columns<R, tile>(d, t);
  if constexpr (R > 1)
    if (t.M > 0) table_rows<R / 2>(d, t);
}

// Large tables cut their sums so that both sides' pieces stay in the second-level cache.
template <class T>
void dots_here(Table<T> t) {
  const hn::ScalableTag<T> d;
  const bool small = t.M <= tile || t.N <= tile;
  const std::size_t depth = t.K, block = small ? std::max<std::size_t>(depth, 1) : 1024;
  std::size_t k = 0;
  do {
    t.K = std::min(block, depth - k);
    table_rows<tile>(d, t);
    k += t.K;
    t.a += t.K;
    t.b += t.K;
    t.accumulate = true;
  } while (k < depth);
}

void dots_float(const Table<float>& t) { dots_here(t); }
void dots_double(const Table<double>& t) { dots_here(t); }

}  // namespace neuralts::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace neuralts::math {
HWY_EXPORT(dots_float);
HWY_EXPORT(dots_double);

template <>
void dots(std::size_t M, std::size_t N, std::size_t K, const float* a, std::size_t lda, const float* b,
          std::size_t ldb, float* c, std::size_t ldc) {
  HWY_DYNAMIC_DISPATCH(dots_float)({M, N, K, a, lda, b, ldb, false, c, ldc});
}
template <>
void dots(std::size_t M, std::size_t N, std::size_t K, const double* a, std::size_t lda, const double* b,
          std::size_t ldb, double* c, std::size_t ldc) {
  HWY_DYNAMIC_DISPATCH(dots_double)({M, N, K, a, lda, b, ldb, false, c, ldc});
}

}  // namespace neuralts::math
#endif
