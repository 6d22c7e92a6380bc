#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/rotation.cpp"
#include <hwy/foreach_target.h>

#include <cmath>

#include "math/rotation.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

// Rotation (i, v) turns row k + i and vector v in the plane that takes x_v(k + i) to 0. It comes after (i - 1, v) and (i, v - 1); a
// column meets all rotations of a block of B rows and V vectors while it lies in registers.
template <std::size_t B, std::size_t V>
struct Turns {
  double* row[B];  // row[i][j] = R(k + i, j)
  double* x[V];
  double c[V][B], s[V][B];

  /// The rotations, from the block's own columns, which they turn. False: all of them turn nothing.
  bool find(std::size_t k, bool careful) {
    bool any = false;
    for (std::size_t v = 0; v < V; ++v)
      for (std::size_t i = 0; i < B; ++i) {
        double& diagonal = row[i][k + i];
        const double left = x[v][k + i];
        c[v][i] = 1, s[v][i] = 0;
        if (left == 0) continue;
        any = true;
        const double length = careful ? std::hypot(diagonal, left) : std::sqrt(diagonal * diagonal + left * left);
        c[v][i] = diagonal / length, s[v][i] = left / length;
        diagonal = length;
        for (std::size_t j = k + i + 1; j < k + B; ++j) turn_one(c[v][i], s[v][i], row[i] + j, x[v] + j);
      }
    return any;
  }
  static HWY_INLINE void turn_one(double c, double s, double* r, double* y) {
    const hn::CappedTag<double, 1> one;
    const auto u = hn::LoadU(one, r), w = hn::LoadU(one, y), cosine = hn::Set(one, c), sine = hn::Set(one, s);
    hn::StoreU(hn::MulAdd(cosine, u, hn::Mul(sine, w)), one, r);
    hn::StoreU(hn::NegMulAdd(sine, u, hn::Mul(cosine, w)), one, y);
  }

  /// All columns j with first <= j < n.
  void turn(std::size_t first, std::size_t n) const {
    for_each_vector<double>(n - first, [&](auto d, std::size_t at, std::size_t count) HWY_ATTR {
      const std::size_t j = first + at;
      hn::VFromD<decltype(d)> r[B];
      for (std::size_t i = 0; i < B; ++i) r[i] = load_some(d, row[i] + j, count);
      for (std::size_t v = 0; v < V; ++v) {
        auto y = load_some(d, x[v] + j, count);
        for (std::size_t i = 0; i < B; ++i) {
          const auto cosine = hn::Set(d, c[v][i]), sine = hn::Set(d, s[v][i]), u = r[i];
          r[i] = hn::MulAdd(cosine, u, hn::Mul(sine, y));
          y = hn::NegMulAdd(sine, u, hn::Mul(cosine, y));
        }
        store_some(d, y, x[v] + j, count);
      }
      for (std::size_t i = 0; i < B; ++i) store_some(d, r[i], row[i] + j, count);
    });
  }
};

/// Rows k .. k + B - 1; `packed` is where row k begins. Returns where row k + B does.
template <std::size_t B, std::size_t V>
HWY_INLINE double* turn_block(std::size_t n, std::size_t k, double* packed, double* x, std::size_t ldx, bool careful) {
  Turns<B, V> turns;
  for (std::size_t i = 0; i < B; packed += n - k - i, ++i) turns.row[i] = packed - (k + i);
  for (std::size_t v = 0; v < V; ++v) turns.x[v] = x + v * ldx;
  if (turns.find(k, careful)) turns.turn(k + B, n);
  return packed;
}

template <std::size_t V>
HWY_INLINE void turn_group(std::size_t n, double* packed, double* x, std::size_t ldx, bool careful) {
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4) packed = turn_block<4, V>(n, k, packed, x, ldx, careful);
  for (; k < n; ++k) packed = turn_block<1, V>(n, k, packed, x, ldx, careful);
}

void take_in(std::size_t n, double* packed, std::size_t count, double* x, std::size_t ldx, bool careful) {
  for (; count >= 4; count -= 4, x += 4 * ldx) turn_group<4>(n, packed, x, ldx, careful);
  for (; count > 0; --count, x += ldx) turn_group<1>(n, packed, x, ldx, careful);
}

}  // namespace neuralts::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace neuralts::math {

HWY_EXPORT(take_in);

void take_in(std::size_t n, double* packed, std::size_t count, double* x, std::size_t ldx, bool careful) {
  HWY_DYNAMIC_DISPATCH(take_in)(n, packed, count, x, ldx, careful);
}

}  // namespace neuralts::math
#endif
