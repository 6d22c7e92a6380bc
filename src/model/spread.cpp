#include "model/spread.hpp"

#include <algorithm>
#include <cmath>

#include "math/running_moments.hpp"

namespace neuralts {

namespace {

Spread told(const math::RunningMoments& moments) { return {moments.mean, moments.deviation()}; }

double& number_of(double& value) { return value; }
double& number_of(Weighted& one) { return one.value; }

double total(std::span<const double> values) { return static_cast<double>(values.size()); }

Spread plain(std::span<const double> values) {
  math::RunningMoments moments;
  for (const double value : values) moments.add(value);
  return told(moments);
}

bool at_most_two(std::span<const double> values) {
  const auto other = std::find_if(values.begin(), values.end(),
                                  [&](double value) { return value != values.front(); });
  return std::all_of(other, values.end(), [&](double value) { return value == values.front() || value == *other; });
}

// Of all but the `left_out` that lie farthest from the median.
Spread of_nearest(std::span<double> values, double left_out) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const double median = *middle;
  const auto count = values.size() - static_cast<std::size_t>(left_out);
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(values.begin(), end, values.end(),
                   [&](double a, double b) { return std::abs(a - median) < std::abs(b - median); });
  return plain(values.first(count));
}

double total(std::span<const Weighted> values) {
  double sum = 0;
  for (const Weighted& one : values) sum += one.weight;
  return sum;
}

Spread plain(std::span<const Weighted> values) {
  math::RunningMoments moments;
  for (const Weighted& one : values)
    if (one.weight > 0) moments.add(one.value, one.weight);
  return told(moments);
}

bool at_most_two(std::span<const Weighted> values) {
  const auto differs = [](double from) {
    return [from](const Weighted& one) { return one.weight > 0 && one.value != from; };
  };
  const auto first = std::find_if(values.begin(), values.end(), [](const Weighted& one) { return one.weight > 0; });
  if (first == values.end()) return true;
  const auto other = std::find_if(first, values.end(), differs(first->value));
  return std::all_of(other, values.end(), [&](const Weighted& one) {
    return one.weight == 0 || one.value == first->value || one.value == other->value;
  });
}

// The one at which the weights from the first on exceed `rank`, the last where they never do.
std::size_t at_rank(std::span<const Weighted> values, double rank) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if ((sum += values[i].weight) > rank) return i;
  return values.size() - 1;
}

// Of all but the weight `left_out` that lies farthest from the median.
Spread of_nearest(std::span<Weighted> values, double left_out) {
  double left = total(values) - left_out;
  std::sort(values.begin(), values.end(), [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  const double median = values[at_rank(values, std::floor(total(values) / 2))].value;
  std::sort(values.begin(), values.end(), [&](const Weighted& a, const Weighted& b) {
    return std::abs(a.value - median) < std::abs(b.value - median);
  });
  math::RunningMoments moments;
  for (auto one = values.begin(); one != values.end() && left > 0; left -= one->weight, ++one)
    if (one->weight > 0) moments.add(one->value, std::min(left, one->weight));
  return told(moments);
}

template <class Number>
Spread without_the_farthest(std::span<Number> values, double share) {
  constexpr double enough = 10;   // numbers
  constexpr double farthest = 6;  // standard deviations of the others
  const Spread all = plain(values);
  const double count = total(values);
  if (count < enough || share <= 0 || at_most_two(values)) return all;
  const Spread others = of_nearest(values, std::max(1.0, std::floor(share * count)));
  if (others.scale == 0) return all;
  const double reach = farthest * others.scale;
  for (Number& one : values)
    number_of(one) = std::clamp(number_of(one), others.centre - reach, others.centre + reach);
  return plain(values);
}

}  // namespace

Spread spread_of(std::span<double> values, double share) { return without_the_farthest(values, share); }

Spread spread_of(std::span<Weighted> values, double share) { return without_the_farthest(values, share); }

}  // namespace neuralts
