#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/lines.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <bit>

#include "math/lines.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

using Doubles = hn::ScalableTag<double>;

std::size_t highest_at(std::size_t n, const double* height, const double* slope, double t) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d), whole = n / lanes * lanes;
  const auto at = hn::Set(d, t);
  auto best = hn::Set(d, height[0] + slope[0] * t);
  for (std::size_t i = 0; i < whole; i += lanes)
    best = hn::Max(best, hn::MulAdd(hn::LoadU(d, slope + i), at, hn::LoadU(d, height + i)));
  double top = hn::GetLane(hn::MaxOfLanes(d, best));
  // The vector it stood in is found again: cheaper than carrying indices along.
  for (std::size_t i = 0; i < whole; i += lanes) {
    const auto value = hn::MulAdd(hn::LoadU(d, slope + i), at, hn::LoadU(d, height + i));
    const std::ptrdiff_t lane = hn::FindFirstTrue(d, hn::Ge(value, hn::Set(d, top)));
    if (lane < 0) continue;
    std::size_t found = i + static_cast<std::size_t>(lane);
    for (std::size_t j = whole; j < n; ++j)
      if (height[j] + slope[j] * t > top) top = height[j] + slope[j] * t, found = j;
    return found;
  }
  std::size_t found = 0;
  for (std::size_t j = 1; j < n; ++j)
    if (height[j] + slope[j] * t > height[found] + slope[found] * t) found = j;
  return found;
}

std::size_t lines_reaching(std::size_t n, const double* height, const double* slope, std::size_t points,
                           const double* t, const double* level, std::uint32_t* kept) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; i += lanes) {
    const std::size_t some = std::min(lanes, n - i);
    const auto h = load_some(d, height + i, some), s = load_some(d, slope + i, some);
    auto reach = hn::Ge(hn::MulAdd(s, hn::Set(d, t[0]), h), hn::Set(d, level[0]));
    for (std::size_t p = 1; p < points; ++p)
      reach = hn::Or(reach, hn::Ge(hn::MulAdd(s, hn::Set(d, t[p]), h), hn::Set(d, level[p])));
    reach = hn::And(reach, hn::FirstN(d, some));
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, reach, bits);
    for (unsigned left = bits[0]; left != 0; left &= left - 1)
      kept[count++] = static_cast<std::uint32_t>(i + static_cast<std::size_t>(std::countr_zero(left)));
  }
  return count;
}

}  // namespace neuralts::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace neuralts::math {

HWY_EXPORT(highest_at);
HWY_EXPORT(lines_reaching);

std::size_t highest_at(std::span<const double> height, std::span<const double> slope, double t) {
  return HWY_DYNAMIC_DISPATCH(highest_at)(height.size(), height.data(), slope.data(), t);
}

std::size_t lines_reaching(std::span<const double> height, std::span<const double> slope,
                           std::span<const double> t, std::span<const double> level,
                           std::span<std::uint32_t> kept) {
  return HWY_DYNAMIC_DISPATCH(lines_reaching)(height.size(), height.data(), slope.data(), t.size(), t.data(),
                                              level.data(), kept.data());
}

}  // namespace neuralts::math
#endif
