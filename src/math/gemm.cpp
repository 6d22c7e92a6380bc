// C = beta C + A B in registers: a tile of `R` rows x `V` vectors of C stays in registers while k runs.
//
// Columns: N is cut into panels of at most 3 vectors. The last vector of a row is moved left until it ends at
// N, so it may overlap its neighbour; both hold the same numbers there, because a panel loads all of its C
// before it stores any. K is cut so that a panel of B stays in the first-level cache while all rows pass by.
#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/gemm.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cstddef>

#include "math/product.hpp"
#include "math/simd.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

// Rows of a register tile: 3 vectors x rows accumulators, 3 vectors of B and one broadcast must fit the
// register file.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr std::size_t tile_rows = 8;  // of 32 registers
#else
inline constexpr std::size_t tile_rows = 4;  // of 16 registers
#endif
inline constexpr std::size_t tile_vectors = 3;
// Panels of a product with very few rows: enough sums in flight to hide latency.
inline constexpr std::size_t row_vectors = 8;

// Columns of a panel: vectors 0 .. V-2 at multiples of the vector length, the last one at `last`. Masked: one
// vector of `count`.
struct Columns {
  std::size_t last, count;
};

template <bool Masked, class D, class T>
HWY_INLINE hn::VFromD<D> load(D d, const T* p, std::size_t count) {
  if constexpr (Masked) return load_first(d, p, count);
  return hn::LoadU(d, p);
}

template <bool Masked, class D, class T>
HWY_INLINE void store(D d, hn::VFromD<D> v, T* p, std::size_t count) {
  if constexpr (Masked) return store_first(d, v, p, count);
  hn::StoreU(v, d, p);
}

template <std::size_t V, class D>
HWY_INLINE std::size_t column(D d, std::size_t v, Columns columns) {
  return v + 1 == V ? columns.last : v * hn::Lanes(d);
}

// The loops over rows and vectors must unroll wholly, or the sums live in memory.
template <std::size_t R, std::size_t V, bool Masked, class D, class T>
HWY_INLINE void tile(D d, const Product<T>& p, const T* HWY_RESTRICT a, const T* HWY_RESTRICT b,
                     T* HWY_RESTRICT c, Columns columns) {
  hn::VFromD<D> sums[R][V], row[V];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (std::size_t v = 0; v < V; ++v)
      sums[r][v] = p.accumulate ? load<Masked>(d, c + r * p.ldc + column<V>(d, v, columns), columns.count)
                                : hn::Zero(d);
  for (std::size_t k = 0; k < p.K; ++k, a += p.a_col, b += p.ldb) {
    if constexpr (R == 1)
      if (*a == 0) continue;  // one sparse context: most of B need not be read
#pragma GCC unroll 8
    for (std::size_t v = 0; v < V; ++v) row[v] = load<Masked>(d, b + column<V>(d, v, columns), columns.count);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < R; ++r) {
      const auto weight = hn::Set(d, a[r * p.a_row]);
#pragma GCC unroll 8
      for (std::size_t v = 0; v < V; ++v) sums[r][v] = hn::MulAdd(weight, row[v], sums[r][v]);
    }
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (std::size_t v = 0; v < V; ++v)
      store<Masked>(d, sums[r][v], c + r * p.ldc + column<V>(d, v, columns), columns.count);
}

// All rows of one panel, `Rows` at a time, then half as many, down to one.
template <std::size_t Rows, std::size_t V, bool Masked, class D, class T>
HWY_INLINE void panel_rows(D d, const Product<T>& p, const T* b, T* c, Columns columns, std::size_t i) {
  for (; i + Rows <= p.M; i += Rows) tile<Rows, V, Masked>(d, p, p.a + i * p.a_row, b, c + i * p.ldc, columns);
  if constexpr (Rows > 1) panel_rows<Rows / 2, V, Masked>(d, p, b, c, columns, i);
}

template <std::size_t V, bool Masked, class D, class T>
HWY_NOINLINE void panel(D d, const Product<T>& p, std::size_t j, Columns columns) {
  constexpr std::size_t rows = V <= tile_vectors ? tile_rows : 2;
  panel_rows<rows, V, Masked>(d, p, p.b + j, p.c + j, columns, 0);
}

template <class D, class T>
void panel(D d, const Product<T>& p, std::size_t vectors, std::size_t j, Columns columns) {
  switch (vectors) {
    case 1: return panel<1, false>(d, p, j, columns);
    case 2: return panel<2, false>(d, p, j, columns);
    case 3: return panel<3, false>(d, p, j, columns);
    case 4: return panel<4, false>(d, p, j, columns);
    case 5: return panel<5, false>(d, p, j, columns);
    case 6: return panel<6, false>(d, p, j, columns);
    case 7: return panel<7, false>(d, p, j, columns);
    default: return panel<row_vectors, false>(d, p, j, columns);
  }
}

// Panels of nearly equal width: unless N is a single vector, the last one has at least two, as the overlap asks.
template <class D, class T>
void panels(D d, const Product<T>& p) {
  const std::size_t lanes = hn::Lanes(d), total = (p.N + lanes - 1) / lanes;
  const std::size_t most = p.M <= 2 ? row_vectors : tile_vectors;
  const std::size_t count = (total + most - 1) / most;
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t vectors = (total - at) / (count - i), j = at * lanes;
    at += vectors;
    const std::size_t end = std::min(at * lanes, p.N);
    panel(d, p, vectors, j, {end - lanes - j, lanes});
  }
}

template <class T>
void gemm_here(Product<T> p) {
  const hn::ScalableTag<T> d;
  const std::size_t cached = 24 * 1024 / (tile_vectors * hn::Lanes(d) * sizeof(T));
  const std::size_t depth = p.K, block = p.M <= tile_rows ? std::max<std::size_t>(depth, 1) : cached;
  std::size_t k = 0;
  do {
    p.K = std::min(block, depth - k);
    if (p.N < hn::Lanes(d))
      panel<1, true>(d, p, 0, {0, p.N});
    else
      panels(d, p);
    k += p.K;
    p.a += p.K * p.a_col;
    p.b += p.K * p.ldb;
    p.accumulate = true;
  } while (k < depth);
}

void gemm_float(const Product<float>& p) { gemm_here(p); }
void gemm_double(const Product<double>& p) { gemm_here(p); }

}  // namespace neuralts::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace neuralts::math {
HWY_EXPORT(gemm_float);
HWY_EXPORT(gemm_double);

template <>
void gemm(std::size_t M, std::size_t N, std::size_t K, const float* a, std::size_t a_row, std::size_t a_col,
          const float* b, std::size_t ldb, float beta, float* c, std::size_t ldc) {
  if (M != 0 && N != 0) HWY_DYNAMIC_DISPATCH(gemm_float)({M, N, K, a, a_row, a_col, b, ldb, beta != 0, c, ldc});
}
template <>
void gemm(std::size_t M, std::size_t N, std::size_t K, const double* a, std::size_t a_row, std::size_t a_col,
          const double* b, std::size_t ldb, double beta, double* c, std::size_t ldc) {
  if (M != 0 && N != 0) HWY_DYNAMIC_DISPATCH(gemm_double)({M, N, K, a, a_row, a_col, b, ldb, beta != 0, c, ldc});
}

}  // namespace neuralts::math
#endif
