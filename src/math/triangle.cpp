#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/triangle.cpp"
#include <hwy/foreach_target.h>

#include "math/triangle.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

// Once z(k) is known, R(k, j) z(k) leaves every later z(j). Rows go in blocks of B, so that a z(j) is fetched once for B of them, and
// vectors in groups of V, so that R(k, j) is fetched once for V of them. Each z(j) still meets its rows one by one, in order.
template <std::size_t B, std::size_t V>
struct Block {
  const double* row[B];  // row[i][j] = R(k + i, j)
  double* z[V];

  /// The block's own triangle: z(k) .. z(k + B - 1).
  HWY_INLINE void settle(std::size_t k) const {
    for (std::size_t v = 0; v < V; ++v)
      for (std::size_t i = 0; i < B; ++i) {
        z[v][k + i] /= row[i][k + i];
        subtract(z[v][k + i], row[i], k + i + 1, k + B, z[v]);
      }
  }
  HWY_INLINE void subtract(double known, const double* r, std::size_t first, std::size_t end, double* to) const {
    for_each_vector<double>(end - first, [&](auto d, std::size_t i, std::size_t count) HWY_ATTR {
      const auto sum = hn::MulAdd(hn::Set(d, -known), load_some(d, r + first + i, count), load_some(d, to + first + i, count));
      store_some(d, sum, to + first + i, count);
    });
  }
  /// All z(j) with j >= first.
  HWY_INLINE void pass_on(std::size_t k, std::size_t first, std::size_t n) const {
    const hn::ScalableTag<double> d;
    hn::VFromD<decltype(d)> known[V][B];
    for (std::size_t v = 0; v < V; ++v)
      for (std::size_t i = 0; i < B; ++i) known[v][i] = hn::Set(d, -z[v][k + i]);
    const std::size_t lanes = hn::Lanes(d);
    std::size_t j = first;
    for (; j + lanes <= n; j += lanes) {
      hn::VFromD<decltype(d)> r[B];
      for (std::size_t i = 0; i < B; ++i) r[i] = hn::LoadU(d, row[i] + j);
      for (std::size_t v = 0; v < V; ++v) {
        auto sum = hn::LoadU(d, z[v] + j);
        for (std::size_t i = 0; i < B; ++i) sum = hn::MulAdd(known[v][i], r[i], sum);
        hn::StoreU(sum, d, z[v] + j);
      }
    }
    if (j == n) return;
    for (std::size_t v = 0; v < V; ++v) {
      auto sum = load_first(d, z[v] + j, n - j);
      for (std::size_t i = 0; i < B; ++i) sum = hn::MulAdd(known[v][i], load_first(d, row[i] + j, n - j), sum);
      store_first(d, sum, z[v] + j, n - j);
    }
  }
};

/// Rows k .. k + B - 1 for V vectors; `packed` is where row k begins. Returns where row k + B does.
template <std::size_t B, std::size_t V>
HWY_INLINE const double* solve_block(std::size_t n, std::size_t k, const double* packed, double* z, std::size_t ldz) {
  Block<B, V> block;
  for (std::size_t i = 0; i < B; packed += n - k - i, ++i) block.row[i] = packed - (k + i);
  for (std::size_t v = 0; v < V; ++v) block.z[v] = z + v * ldz;
  block.settle(k);
  block.pass_on(k, k + B, n);
  return packed;
}

template <std::size_t V>
HWY_INLINE void solve_group(std::size_t n, const double* packed, double* z, std::size_t ldz) {
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4) packed = solve_block<4, V>(n, k, packed, z, ldz);
  for (; k < n; ++k) packed = solve_block<1, V>(n, k, packed, z, ldz);
}

void solve_transposed(std::size_t n, const double* packed, std::size_t count, double* z, std::size_t ldz) {
  for (; count >= 4; count -= 4, z += 4 * ldz) solve_group<4>(n, packed, z, ldz);
  for (; count > 0; --count, z += ldz) solve_group<1>(n, packed, z, ldz);
}

}  // namespace neuralts::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace neuralts::math {

HWY_EXPORT(solve_transposed);

void solve_transposed(std::size_t n, const double* packed, std::size_t count, double* z, std::size_t ldz) {
  HWY_DYNAMIC_DISPATCH(solve_transposed)(n, packed, count, z, ldz);
}

}  // namespace neuralts::math
#endif
