#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/upper_panels.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <span>

#include "math/upper_panels.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

using Lanes = hn::CappedTag<float, UpperPanels::half>;
using Vec = hn::VFromD<Lanes>;

inline constexpr std::size_t lanes = hn::MaxLanes(Lanes()), half_vectors = UpperPanels::half / lanes;
// Columns pass a whole panel at a time or half of one, vectors as many together as leave their sums in registers.
inline constexpr bool whole_panels = HWY_TARGET == HWY_AVX3;
inline constexpr std::size_t together = HWY_TARGET == HWY_AVX3                               ? 10
                                        : HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_NEON ? 5
                                        : HWY_TARGET == HWY_SCALAR                         ? 1
                                                                                           : 2;

template <std::size_t R, std::size_t V>
struct Sums {
  Vec of[R][V];

  HWY_INLINE Sums() {
    HWY_UNROLL(16)
    for (std::size_t r = 0; r < R; ++r)
      HWY_UNROLL(8)
      for (std::size_t v = 0; v < V; ++v) of[r][v] = hn::Zero(Lanes());
  }

  /// Vectors `First` and later of `rows` rows of M, `stride` numbers apart, meet R vectors x at one position each.
  template <std::size_t First>
  HWY_INLINE void meet(const float* HWY_RESTRICT x, std::size_t ldx, const float* HWY_RESTRICT m,
                       std::size_t stride, std::size_t rows) {
    const Lanes d;
    for (std::size_t k = 0; k < rows; ++k, m += stride) {
      Vec row[V];
      HWY_UNROLL(8)
      for (std::size_t v = First; v < V; ++v) row[v] = hn::Load(d, m + (v - First) * lanes);
      HWY_UNROLL(16)
      for (std::size_t r = 0; r < R; ++r) {
        const Vec weight = hn::Set(d, x[r * ldx + k]);
        HWY_UNROLL(8)
        for (std::size_t v = First; v < V; ++v) of[r][v] = hn::MulAdd(weight, row[v], of[r][v]);
      }
    }
  }

  /// Adds their squares to `totals`, a vector for each x.
  HWY_INLINE void add_squares(float* totals) const {
    const Lanes d;
    HWY_UNROLL(16)
    for (std::size_t r = 0; r < R; ++r) {
      Vec total = hn::Load(d, totals + r * lanes);
      HWY_UNROLL(8)
      for (std::size_t v = 0; v < V; ++v) total = hn::MulAdd(of[r][v], of[r][v], total);
      hn::Store(total, d, totals + r * lanes);
    }
  }
};

// Adds a panel's share to `totals`.
template <std::size_t R>
HWY_INLINE void pass(const UpperPanels::Panel& panel, const float* m, const float* x, std::size_t ldx,
                     float* totals) {
  constexpr std::size_t half = UpperPanels::half, whole = 2 * half;
  const float *const right_rows = m + panel.both * whole, *const right_x = x + panel.both;
  if constexpr (whole_panels) {
    Sums<R, 2 * half_vectors> sums;
    sums.template meet<0>(x, ldx, m, whole, panel.both);
    sums.template meet<half_vectors>(right_x, ldx, right_rows, half, panel.right);
    sums.add_squares(totals);
  } else {
    Sums<R, half_vectors> left, right;
    left.template meet<0>(x, ldx, m, whole, panel.both);
    left.add_squares(totals);
    if (panel.right == 0) return;  // no column there
    right.template meet<0>(x, ldx, m + half, whole, panel.both);
    right.template meet<0>(right_x, ldx, right_rows, half, panel.right);
    right.add_squares(totals);
  }
}

/// REQUIRES count <= R.
template <std::size_t R>
HWY_INLINE void pass_some(std::size_t count, const UpperPanels::Panel& panel, const float* m, const float* x,
                          std::size_t ldx, float* totals) {
  if constexpr (R > 0) {
    if (count == R) return pass<R>(panel, m, x, ldx, totals);
    pass_some<R - 1>(count, panel, m, x, ldx, totals);
  }
}

struct Totals {
  alignas(64) std::array<float, together * lanes> sums{};
};

HWY_INLINE void to_single(std::size_t n, const double* x, float* out) {
  for_each_vector<double>(n, [&](auto d, std::size_t i, std::size_t count) HWY_ATTR {
    const hn::Rebind<float, decltype(d)> narrow;
    store_some(narrow, hn::DemoteTo(narrow, load_some(d, x + i, count)), out + i, count);
  });
}

void panel_squares(std::size_t n, std::span<const UpperPanels::Panel> panels, const UpperPanels::Line* lines,
                   std::size_t count, const double* wide, float* x, double* out) {
  const Lanes d;
  to_single(count * n, wide, x);
  for (std::size_t groups = (count + together - 1) / together; groups > 0; --groups) {
    const std::size_t some = (count + groups - 1) / groups;
    Totals totals;
    for (const UpperPanels::Panel& panel : panels)
      pass_some<together>(some, panel, lines[panel.first].numbers.data(), x, n, totals.sums.data());
    for (std::size_t i = 0; i < some; ++i)
      out[i] = static_cast<double>(sum(d, hn::Load(d, totals.sums.data() + i * lanes)));
    count -= some;
    x += some * n;
    out += some;
  }
}

}  // namespace neuralts::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace neuralts::math {

HWY_EXPORT(panel_squares);

UpperPanels::UpperPanels(std::size_t n, const float* m) : n_(n) {
  for (std::size_t first = 0; first < n; first += 2 * half) {
    const std::size_t both = std::min(n, first + half), right = std::min(n, first + 2 * half) - both;
    panels_.push_back({lines_.size(), both, right});
    for (std::size_t k = 0; k < both + right; ++k)
      for (std::size_t column = first + (k < both ? 0 : half); column < first + 2 * half; column += half) {
        Line& line = lines_.emplace_back();
        for (std::size_t j = std::max(column, k); j < std::min(n, column + half); ++j)
          line.numbers[j - column] = m[k * n + j];
      }
  }
}

void UpperPanels::squares(std::size_t count, const double* x, float* narrow, double* out) const {
  HWY_DYNAMIC_DISPATCH(panel_squares)(n_, panels_, lines_.data(), count, x, narrow, out);
}

}  // namespace neuralts::math
#endif
