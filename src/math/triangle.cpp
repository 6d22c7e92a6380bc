#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/triangle.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "math/triangle.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

// z(j) = (z(j) - sum over k < j of R(k, j) z(k)) / R(j, j). Columns go in strips: a strip's z(j) stay in
// registers while the rows above it pass by, and its own triangle is solved for two vectors at a time, since
// each number waits for the one before it. Vectors go in groups of V, so that R is fetched once for V of them.
// Each z(j) still meets its rows one by one, in order.
inline constexpr std::size_t strip = 8;
inline constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<double>());
inline constexpr std::size_t group_max = HWY_TARGET == HWY_AVX3 ? 10 : 6;
// Strips times vectors whose sums registers hold.
inline constexpr std::size_t held = HWY_TARGET == HWY_AVX3 ? 8 : 4;

template <std::size_t V>
class Group {
 public:
  Group(std::size_t n, const double* packed, double* z, std::size_t ldz) : n_(n), packed_(packed) {
    for (std::size_t v = 0; v < V; ++v) z_[v] = z + v * ldz;
  }

  HWY_INLINE void solve() const {
    std::size_t first = 0;
    for (; first + wide <= n_; first += wide) {
      pass_by<wide>(0, first, first);
      for (std::size_t at = first; at < first + wide; at += strip) {
        if constexpr (wide > strip) pass_by<strip>(first, at, at);
        settle(at);
      }
    }
    for (; first + strip <= n_; first += strip) {
      pass_by<strip>(0, first, first);
      settle(first);
    }
    finish(first);
  }

 private:
  /// Of few vectors several strips pass at once, or each sum would wait for itself.
  static constexpr std::size_t wide = strip * (V == 1 ? 4 : V == 2 ? held / 2 : V <= 4 ? held / 4 : 1);

  const double* row(std::size_t k) const { return packed_ + k * n_ - k * (k + 1) / 2; }  // [j]: R(k, j)

  /// Rows begin .. end - 1 leave columns first .. first + width - 1.
  template <std::size_t width>
  HWY_INLINE void pass_by(std::size_t begin, std::size_t end, std::size_t first) const {
    const hn::ScalableTag<double> d;
    constexpr std::size_t vectors = width / lanes;
    hn::VFromD<decltype(d)> sum[V][vectors], r[vectors];
    for (std::size_t v = 0; v < V; ++v)
      for (std::size_t i = 0; i < vectors; ++i) sum[v][i] = hn::LoadU(d, z_[v] + first + i * lanes);
    const double* at = row(begin) + first;
    for (std::size_t k = begin; k < end; at += n_ - 1 - k++) {
      for (std::size_t i = 0; i < vectors; ++i) r[i] = hn::LoadU(d, at + i * lanes);
      for (std::size_t v = 0; v < V; ++v) {
        const auto known = hn::Set(d, z_[v][k]);
        for (std::size_t i = 0; i < vectors; ++i) sum[v][i] = hn::NegMulAdd(known, r[i], sum[v][i]);
      }
    }
    for (std::size_t v = 0; v < V; ++v)
      for (std::size_t i = 0; i < vectors; ++i) hn::StoreU(sum[v][i], d, z_[v] + first + i * lanes);
  }

  /// The triangle of columns first .. first + strip - 1.
  HWY_INLINE void settle(std::size_t first) const {
    std::size_t v = 0;
#if HWY_TARGET != HWY_SCALAR
    for (; v + 2 <= V; v += 2) settle_two(first, z_[v] + first, z_[v + 1] + first);
#endif
    for (; v < V; ++v) settle_one(first, z_[v] + first);
  }
#if HWY_TARGET != HWY_SCALAR
  HWY_INLINE void settle_two(std::size_t first, double* a, double* b) const {
    const hn::CappedTag<double, 2> d;
    hn::VFromD<decltype(d)> both[strip];
    for (std::size_t i = 0; i < strip; ++i)
      both[i] = hn::InterleaveLower(d, hn::Set(d, a[i]), hn::Set(d, b[i]));
    settle(d, first, both);
    for (std::size_t i = 0; i < strip; ++i) {
      a[i] = hn::GetLane(both[i]);
      b[i] = hn::GetLane(hn::Reverse(d, both[i]));
    }
  }
#endif
  HWY_INLINE void settle_one(std::size_t first, double* a) const {
    const hn::CappedTag<double, 1> d;
    hn::VFromD<decltype(d)> one[strip];
    for (std::size_t i = 0; i < strip; ++i) one[i] = hn::LoadU(d, a + i);
    settle(d, first, one);
    for (std::size_t i = 0; i < strip; ++i) hn::StoreU(one[i], d, a + i);
  }
  template <class D>
  HWY_INLINE void settle(D d, std::size_t first, hn::VFromD<D>* z) const {
    const double* r = row(first) + first;
    HWY_UNROLL(8)
    for (std::size_t i = 0; i < strip; ++i) {
      z[i] = hn::Div(z[i], hn::Set(d, r[i]));
      HWY_UNROLL(8)
      for (std::size_t j = i + 1; j < strip; ++j) z[j] = hn::NegMulAdd(z[i], hn::Set(d, r[j]), z[j]);
      r += n_ - 1 - first - i;
    }
  }

  /// Columns from `first` on, less than a strip.
  HWY_INLINE void finish(std::size_t first) const {
    for_each_vector<double>(n_ - first, [&](auto d, std::size_t i, std::size_t count) HWY_ATTR {
      pass_by_some(d, first, first + i, count);
    });
    const hn::CappedTag<double, 1> d;
    for (std::size_t k = first; k < n_; ++k)
      for (std::size_t v = 0; v < V; ++v) {
        const auto known = hn::Div(hn::LoadU(d, z_[v] + k), hn::LoadU(d, row(k) + k));
        hn::StoreU(known, d, z_[v] + k);
        for (std::size_t j = k + 1; j < n_; ++j)
          hn::StoreU(hn::NegMulAdd(known, hn::LoadU(d, row(k) + j), hn::LoadU(d, z_[v] + j)), d, z_[v] + j);
      }
  }
  /// Rows 0 .. end - 1 leave `count` columns from `first` on.
  template <class D>
  HWY_INLINE void pass_by_some(D d, std::size_t end, std::size_t first, std::size_t count) const {
    hn::VFromD<D> sum[V];
    for (std::size_t v = 0; v < V; ++v) sum[v] = load_some(d, z_[v] + first, count);
    const double* at = packed_ + first;
    for (std::size_t k = 0; k < end; at += n_ - 1 - k++) {
      const auto r = load_some(d, at, count);
      for (std::size_t v = 0; v < V; ++v) sum[v] = hn::NegMulAdd(hn::Set(d, z_[v][k]), r, sum[v]);
    }
    for (std::size_t v = 0; v < V; ++v) store_some(d, sum[v], z_[v] + first, count);
  }

  std::size_t n_;
  const double* packed_;
  double* z_[V];
};

/// REQUIRES count <= V.
template <std::size_t V>
void solve_some(std::size_t n, const double* packed, std::size_t count, double* z, std::size_t ldz) {
  if constexpr (V > 0) {
    if (count == V) return Group<V>(n, packed, z, ldz).solve();
    solve_some<V - 1>(n, packed, count, z, ldz);
  }
}

void solve_transposed(std::size_t n, const double* packed, std::size_t count, double* z, std::size_t ldz) {
  for (std::size_t groups = (count + group_max - 1) / group_max; groups > 0; --groups) {
    const std::size_t some = (count + groups - 1) / groups;
    solve_some<group_max>(n, packed, some, z, ldz);
    count -= some;
    z += some * ldz;
  }
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
