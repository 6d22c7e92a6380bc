#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/rotation.cpp"
#include <hwy/foreach_target.h>

#include <cmath>

#include "math/rotation.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

// Rotation i turns row k + i and the vector in the plane that takes x(k + i) to 0. A column meets those of B
// rows while it lies in registers.
template <std::size_t B>
struct Turns {
  double* row[B];  // row[i][j] = R(k + i, j)
  double* x;
  double c[B], s[B];

  /// The rotations, from the block's own columns, which they turn. False: all of them turn nothing.
  bool find(std::size_t k, bool careful) {
    bool any = false;
    for (std::size_t i = 0; i < B; ++i) {
      double& diagonal = row[i][k + i];
      const double left = x[k + i];
      c[i] = 1, s[i] = 0;
      if (left == 0) continue;
      any = true;
      const double length = careful ? std::hypot(diagonal, left) : std::sqrt(diagonal * diagonal + left * left);
      c[i] = diagonal / length, s[i] = left / length;
      diagonal = length;
      for (std::size_t j = k + i + 1; j < k + B; ++j) turn_one(c[i], s[i], row[i] + j, x + j);
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
      auto y = load_some(d, x + j, count);
      for (std::size_t i = 0; i < B; ++i) {
        const auto cosine = hn::Set(d, c[i]), sine = hn::Set(d, s[i]), u = load_some(d, row[i] + j, count);
        store_some(d, hn::MulAdd(cosine, u, hn::Mul(sine, y)), row[i] + j, count);
        y = hn::NegMulAdd(sine, u, hn::Mul(cosine, y));
      }
      store_some(d, y, x + j, count);
    });
  }
};

/// Rows k .. k + B - 1; `packed` is where row k begins. Returns where row k + B does.
template <std::size_t B>
HWY_INLINE double* turn_block(std::size_t n, std::size_t k, double* packed, double* x, bool careful) {
  Turns<B> turns;
  for (std::size_t i = 0; i < B; packed += n - k - i, ++i) turns.row[i] = packed - (k + i);
  turns.x = x;
  if (turns.find(k, careful)) turns.turn(k + B, n);
  return packed;
}

// A reflection that takes V vectors' numbers b_v of column k into R(k, k) = a at once: with l^2 = a^2 + sum
// b_v^2 and s_v = b_v / l
//   r' = (a / l) r + q,   x_v' = x_v + s_v (r - q l (l + a) / sum b_v^2),   q = sum s_v x_v
// for every later column: half the work of V rotations, and one root instead of V.
template <std::size_t V>
struct Reflection {
  double* x[V];
  double c, far, s[V];

  /// Column k, which it settles. False: there is nothing to take in.
  bool find(std::size_t k, double& diagonal) {
    double squares = 0;
    for (std::size_t v = 0; v < V; ++v) squares += x[v][k] * x[v][k];
    if (!(squares > 1e-280)) return false;
    const double length = std::sqrt(diagonal * diagonal + squares), inverse = 1 / length;
    c = diagonal * inverse;
    far = length * (length + diagonal) / squares;
    for (std::size_t v = 0; v < V; ++v) s[v] = x[v][k] * inverse;
    diagonal = length;
    return true;
  }
  /// Columns from `first` on; row[j] = R(k, j).
  void apply(double* HWY_RESTRICT row, std::size_t first, std::size_t n) const {
    for_each_vector<double>(n - first, [&](auto d, std::size_t at, std::size_t count) HWY_ATTR {
      const std::size_t j = first + at;
      hn::VFromD<decltype(d)> y[V];
      for (std::size_t v = 0; v < V; ++v) y[v] = load_some(d, x[v] + j, count);
      auto q = hn::Mul(hn::Set(d, s[0]), y[0]);
      for (std::size_t v = 1; v < V; ++v) q = hn::MulAdd(hn::Set(d, s[v]), y[v], q);
      const auto r = load_some(d, row + j, count);
      const auto moved = hn::NegMulAdd(hn::Set(d, far), q, r);
      store_some(d, hn::MulAdd(hn::Set(d, c), r, q), row + j, count);
      for (std::size_t v = 0; v < V; ++v) store_some(d, hn::MulAdd(hn::Set(d, s[v]), moved, y[v]), x[v] + j, count);
    });
  }
};

template <std::size_t V>
HWY_INLINE void reflect_group(std::size_t n, double* row, double* x, std::size_t ldx) {
  Reflection<V> reflection;
  for (std::size_t v = 0; v < V; ++v) reflection.x[v] = x + v * ldx;
  for (std::size_t k = 0; k < n; row += n - k++)
    if (reflection.find(k, row[0])) reflection.apply(row - k, k + 1, n);
}

void take_in(std::size_t n, double* packed, double* x, bool careful) {
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4) packed = turn_block<4>(n, k, packed, x, careful);
  for (; k < n; ++k) packed = turn_block<1>(n, k, packed, x, careful);
}

void take_in_rows(std::size_t n, double* packed, std::size_t count, double* x, std::size_t ldx) {
  for (; count >= 8; count -= 8, x += 8 * ldx) reflect_group<8>(n, packed, x, ldx);
  for (; count >= 4; count -= 4, x += 4 * ldx) reflect_group<4>(n, packed, x, ldx);
  for (; count > 0; --count, x += ldx) take_in(n, packed, x, false);
}

}  // namespace neuralts::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace neuralts::math {

HWY_EXPORT(take_in);
HWY_EXPORT(take_in_rows);

void take_in(std::size_t n, double* packed, double* x, bool careful) {
  HWY_DYNAMIC_DISPATCH(take_in)(n, packed, x, careful);
}
void take_in_rows(std::size_t n, double* packed, std::size_t count, double* x, std::size_t ldx) {
  HWY_DYNAMIC_DISPATCH(take_in_rows)(n, packed, count, x, ldx);
}

}  // namespace neuralts::math
#endif
