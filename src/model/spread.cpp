#include "model/spread.hpp"

#include <algorithm>
#include <cmath>

namespace neuralts {

namespace {

Spread plain(std::span<const double> values) {
  Spread out;
  double count = 0, squares = 0;
  for (const double value : values) {  // Welford
    const double deviation = value - out.centre;
    out.centre += deviation / ++count;
    squares += deviation * (value - out.centre);
  }
  out.scale = count > 0 ? std::sqrt(std::max(0.0, squares / count)) : 0;
  return out;
}

bool at_most_two(std::span<const double> values) {
  const auto other = std::find_if(values.begin(), values.end(), [&](double value) { return value != values.front(); });
  return std::all_of(other, values.end(), [&](double value) { return value == values.front() || value == *other; });
}

// The values nearest to the median, moved to the front: all but `left_out`.
std::span<double> nearest(std::span<double> values, std::size_t left_out) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const double median = *middle;
  const auto end = values.end() - static_cast<std::ptrdiff_t>(left_out);
  std::nth_element(values.begin(), end, values.end(), [&](double a, double b) { return std::abs(a - median) < std::abs(b - median); });
  return values.first(values.size() - left_out);
}

}  // namespace

Spread spread_of(std::span<double> values, double share) {
  constexpr std::size_t enough = 10;
  constexpr double farthest = 6;
  const Spread all = plain(values);
  if (values.size() < enough || share <= 0 || at_most_two(values)) return all;
  const auto left_out = std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(values.size())));
  const Spread others = plain(nearest(values, left_out));
  if (others.scale == 0) return all;
  const double reach = farthest * others.scale;
  for (double& value : values) value = std::clamp(value, others.centre - reach, others.centre + reach);
  return plain(values);
}

}  // namespace neuralts
