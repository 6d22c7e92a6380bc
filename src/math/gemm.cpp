// C = beta C + A B in registers: a tile of `R` rows x `V` vectors of C stays in registers while k runs.
//
// Columns: N is cut into panels of a few vectors. The last vector of a row is moved left until it ends at
// N, so it may overlap its neighbour; both hold the same numbers there, because a panel loads all of its C
// before it stores any. K is cut so that a panel of B stays in the first-level cache while all rows pass by.
#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/gemm.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "math/product.hpp"
#include "math/simd.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

// A register tile: rows x vectors sums, a row of B and what there is of A must fit the register file.
#if HWY_TARGET == HWY_NEON
inline constexpr std::size_t tile_rows = 8, tile_vectors = 2;  // of 32 registers; eight vectors of A
#elif HWY_TARGET == HWY_AVX3
inline constexpr std::size_t tile_rows = 8, tile_vectors = 3;  // of 32 registers; one broadcast
#else
inline constexpr std::size_t tile_rows = 4, tile_vectors = 3;  // of 16 registers; one broadcast
#endif
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

template <bool Masked, std::size_t V, class D, class T>
HWY_INLINE void load_row(D d, const T* b, Columns columns, hn::VFromD<D> (&row)[V]) {
#pragma GCC unroll 8
  for (std::size_t v = 0; v < V; ++v) row[v] = load<Masked>(d, b + column<V>(d, v, columns), columns.count);
}

// A's rows lie together: of each of the tile's a vector, for as many rows of B as it has numbers.
template <bool Masked, std::size_t R, std::size_t V, class D, class T, int... Lane>
HWY_INLINE void take_along(D d, Product<T>& p, Columns columns, hn::VFromD<D> (&sums)[R][V],
                           std::integer_sequence<int, Lane...>) {
  hn::VFromD<D> weights[R], row[V];
  const auto take_row = [&]<int at>(std::integral_constant<int, at>) HWY_ATTR {
    load_row<Masked>(d, p.b, columns, row);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < R; ++r) add_row(hn::Broadcast<at>(weights[r]), row, sums[r]);
    p.b += p.ldb;
  };
  for (; p.K >= sizeof...(Lane); p.K -= sizeof...(Lane), p.a += sizeof...(Lane)) {
#pragma GCC unroll 8
    for (std::size_t r = 0; r < R; ++r) weights[r] = hn::LoadU(d, p.a + r * p.a_row);
    (take_row(std::integral_constant<int, Lane>()), ...);
  }
}

// A's columns lie together: vectors of the tile's rows, for one row of B.
template <bool Masked, std::size_t R, std::size_t V, class D, class T, int... Row>
HWY_INLINE void take_down(D d, Product<T>& p, Columns columns, hn::VFromD<D> (&sums)[R][V],
                          std::integer_sequence<int, Row...>) {
  constexpr int lanes = hn::MaxLanes(d);
  hn::VFromD<D> row[V];
  for (; p.K > 0; --p.K, p.a += p.a_col, p.b += p.ldb) {
    load_row<Masked>(d, p.b, columns, row);
    (add_row(hn::Broadcast<Row % lanes>(hn::LoadU(d, p.a + Row / lanes * lanes)), row, sums[Row]), ...);
  }
}

// Where numbers of A lie together they are read by the vector. What cannot be is left in `p`.
template <bool Masked, std::size_t R, std::size_t V, class D, class T>
HWY_INLINE void take_by_lane(D d, Product<T>& p, Columns columns, hn::VFromD<D> (&sums)[R][V]) {
  constexpr std::size_t lanes = hn::MaxLanes(d);
  if (p.a_col == 1) return take_along<Masked>(d, p, columns, sums, std::make_integer_sequence<int, lanes>());
  if constexpr (R % lanes == 0)
    if (p.a_row == 1) take_down<Masked>(d, p, columns, sums, std::make_integer_sequence<int, R>());
}

// The loops over rows and vectors must unroll wholly, or the sums live in memory.
template <std::size_t R, std::size_t V, bool Masked, class D, class T>
HWY_INLINE void tile(D d, Product<T> p, Columns columns) {
  hn::VFromD<D> sums[R][V], row[V];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (std::size_t v = 0; v < V; ++v)
      sums[r][v] = p.accumulate ? load<Masked>(d, p.c + r * p.ldc + column<V>(d, v, columns), columns.count)
                                : hn::Zero(d);
  if constexpr (by_lane && R > 1) take_by_lane<Masked>(d, p, columns, sums);
  for (; p.K > 0; --p.K, p.a += p.a_col, p.b += p.ldb) {
    if constexpr (R == 1)
      if (*p.a == 0) continue;  // one sparse context: most of B need not be read
    load_row<Masked>(d, p.b, columns, row);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < R; ++r) add_row(hn::Set(d, p.a[r * p.a_row]), row, sums[r]);
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (std::size_t v = 0; v < V; ++v)
      store<Masked>(d, sums[r][v], p.c + r * p.ldc + column<V>(d, v, columns), columns.count);
}

// All rows of one panel, `Rows` at a time, then half as many, down to one.
template <std::size_t Rows, std::size_t V, bool Masked, class D, class T>
HWY_INLINE void panel_rows(D d, Product<T> p, Columns columns) {
  for (; p.M >= Rows; p.M -= Rows, p.a += Rows * p.a_row, p.c += Rows * p.ldc)
    tile<Rows, V, Masked>(d, p, columns);
  if constexpr (Rows > 1) panel_rows<Rows / 2, V, Masked>(d, p, columns);
}

template <std::size_t V, bool Masked, class D, class T>
HWY_NOINLINE void panel(D d, Product<T> p, std::size_t j, Columns columns) {
  constexpr std::size_t rows = V <= tile_vectors ? tile_rows : 2;
  p.b += j;
  p.c += j;
  panel_rows<rows, V, Masked>(d, p, columns);
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
