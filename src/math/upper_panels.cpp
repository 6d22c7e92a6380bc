#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/upper_panels.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <span>
#include <utility>

#include "math/upper_panels.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

using Lanes = hn::CappedTag<float, UpperPanels::half>;
using Vec = hn::VFromD<Lanes>;

inline constexpr std::size_t lanes = hn::MaxLanes(Lanes());
// Columns pass two vectors at a time, vectors x as many together as leave their sums in registers.
inline constexpr std::size_t passing = 2;
inline constexpr bool whole_panels = passing * lanes == 2 * UpperPanels::half;
inline constexpr std::size_t together = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON ? 10
                                        : HWY_TARGET == HWY_AVX2                         ? 5
                                        : HWY_TARGET == HWY_SCALAR                       ? 1
                                                                                         : 2;
// The numbers of the vectors at one position lie side by side, so far apart from those at the next.
inline constexpr std::size_t pitch = by_lane ? (together + lanes - 1) / lanes * lanes : together;
static_assert(pitch <= UpperPanels::pitch_max);

template <std::size_t R>
struct Sums {
  Vec of[R][passing];

  HWY_INLINE Sums() {
    HWY_UNROLL(16)
    for (std::size_t r = 0; r < R; ++r)
      HWY_UNROLL(2)
      for (std::size_t v = 0; v < passing; ++v) of[r][v] = hn::Zero(Lanes());
  }

  /// Columns `First` vectors behind the first and later of `rows` rows of M, `stride` numbers apart, meet R vectors
  /// x at one position each.
  template <std::size_t First>
  HWY_INLINE void meet(const float* HWY_RESTRICT x, const float* HWY_RESTRICT m, std::size_t stride,
                       std::size_t rows) {
    for (std::size_t k = 0; k < rows; ++k, m += stride, x += pitch) {
      Vec row[passing];
      HWY_UNROLL(2)
      for (std::size_t v = First; v < passing; ++v) row[v] = hn::Load(Lanes(), m + (v - First) * lanes);
      add<First>(x, row, std::make_index_sequence<R>());
    }
  }

  template <std::size_t First, std::size_t... Row>
  HWY_INLINE void add(const float* HWY_RESTRICT x, const Vec (&row)[passing], std::index_sequence<Row...>) {
    if constexpr (by_lane) {
      Vec numbers[(R + lanes - 1) / lanes];
      HWY_UNROLL(4)
      for (std::size_t i = 0; i < (R + lanes - 1) / lanes; ++i) numbers[i] = hn::LoadU(Lanes(), x + i * lanes);
      (add_row<First>(hn::Broadcast<Row % lanes>(numbers[Row / lanes]), row, of[Row]), ...);
    } else {
      (add_row<First>(hn::Set(Lanes(), x[Row]), row, of[Row]), ...);
    }
  }

  /// Adds their squares to `totals`, a vector for each x.
  HWY_INLINE void add_squares(float* totals) const {
    const Lanes d;
    HWY_UNROLL(16)
    for (std::size_t r = 0; r < R; ++r) {
      Vec total = hn::Load(d, totals + r * lanes);
      HWY_UNROLL(2)
      for (std::size_t v = 0; v < passing; ++v) total = hn::MulAdd(of[r][v], of[r][v], total);
      hn::Store(total, d, totals + r * lanes);
    }
  }
};

// Adds a panel's share to `totals`.
template <std::size_t R>
HWY_INLINE void pass(const UpperPanels::Panel& panel, const float* m, const float* x, float* totals) {
  constexpr std::size_t half = UpperPanels::half, whole = 2 * half, columns = passing * lanes;
  const float *const right_rows = m + panel.both * whole, *const right_x = x + panel.both * pitch;
  if constexpr (whole_panels) {
    Sums<R> sums;
    sums.template meet<0>(x, m, whole, panel.both);
    sums.template meet<1>(right_x, right_rows, half, panel.right);
    sums.add_squares(totals);
  } else {
    const std::size_t end = panel.right == 0 ? half : whole;  // without the columns that are not there
    for (std::size_t first = 0; first < end; first += columns) {
      Sums<R> sums;
      sums.template meet<0>(x, m + first, whole, panel.both);
      if (first >= half) sums.template meet<0>(right_x, right_rows + (first - half), half, panel.right);
      sums.add_squares(totals);
    }
  }
}

template <std::size_t R>
HWY_INLINE void lay_side_by_side(std::size_t n, const double* x, float* out) {
  for (std::size_t k = 0; k < n; ++k)
    HWY_UNROLL(16)
    for (std::size_t r = 0; r < R; ++r) out[k * pitch + r] = static_cast<float>(x[r * n + k]);
}

struct Panels {
  std::size_t n;
  std::span<const UpperPanels::Panel> panels;
  const UpperPanels::Line* lines;
};

template <std::size_t R>
HWY_INLINE void squares_of(const Panels& m, const double* x, float* numbers, double* out) {
  lay_side_by_side<R>(m.n, x, numbers);
  alignas(64) std::array<float, R * lanes> totals{};
  for (const UpperPanels::Panel& panel : m.panels)
    pass<R>(panel, m.lines[panel.first].numbers.data(), numbers, totals.data());
  for (std::size_t r = 0; r < R; ++r)
    out[r] = static_cast<double>(sum(Lanes(), hn::Load(Lanes(), totals.data() + r * lanes)));
}

/// REQUIRES count <= R.
template <std::size_t R>
HWY_INLINE void squares_of_some(std::size_t count, const Panels& m, const double* x, float* numbers, double* out) {
  if constexpr (R > 0) {
    if (count == R) return squares_of<R>(m, x, numbers, out);
    squares_of_some<R - 1>(count, m, x, numbers, out);
  }
}

void panel_squares(std::size_t n, std::span<const UpperPanels::Panel> panels, const UpperPanels::Line* lines,
                   std::size_t count, const double* x, float* numbers, double* out) {
  for (std::size_t groups = (count + together - 1) / together; groups > 0; --groups) {
    const std::size_t some = (count + groups - 1) / groups;
    squares_of_some<together>(some, {n, panels, lines}, x, numbers, out);
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

void UpperPanels::squares(std::size_t count, const double* x, std::span<float> working, double* out) const {
  HWY_DYNAMIC_DISPATCH(panel_squares)(n_, panels_, lines_.data(), count, x, working.data(), out);
}

}  // namespace neuralts::math
#endif
