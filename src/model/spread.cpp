#include "model/spread.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "math/running_moments.hpp"

namespace neuralts {

namespace {

Spread told(const math::RunningMoments& moments) { return {moments.mean, moments.deviation()}; }

double& number_of(double& value) { return value; }
double& number_of(Weighted& one) { return one.value; }
double number_of(const double& value) { return value; }
double number_of(const Weighted& one) { return one.value; }
double weight_of(double) { return 1; }
double weight_of(const Weighted& one) { return one.weight; }

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

constexpr double enough = 10;   // numbers
constexpr double farthest = 6;  // standard deviations of the others
constexpr double far_apart = 4;  // times what the others span

// `values` without those that are farthest in a direction (1 or -1), if they are a code.
template <class Number>
std::span<Number> without_code(std::span<Number> values, double direction) {
  constexpr double none = std::numeric_limits<double>::infinity();
  double code = -none, next = -none, last = none, repeated = 0, others = 0;
  for (const Number& one : values)
    if (weight_of(one) > 0) code = std::max(code, direction * number_of(one));
  const auto is_code = [&](const Number& one) { return direction * number_of(one) == code; };
  for (const Number& one : values) {
    if (!(weight_of(one) > 0)) continue;
    (is_code(one) ? repeated : others) += weight_of(one);
    if (is_code(one)) continue;
    next = std::max(next, direction * number_of(one));
    last = std::min(last, direction * number_of(one));
  }
  if (!(repeated > 1 && repeated < others && last < next && code - next > far_apart * (next - last))) return values;
  const auto end = std::partition(values.begin(), values.end(), std::not_fn(is_code));
  return values.first(static_cast<std::size_t>(end - values.begin()));
}

// One at either end: the farther one hides the other until it is taken off. Not more, or powers of ten would be codes.
template <class Number>
std::span<Number> without_codes(std::span<Number> values) {
  const auto below = without_code(values, -1), rest = without_code(below, 1);
  return below.size() == values.size() ? without_code(rest, -1) : rest;
}

template <class Number>
Spread without_outliers(std::span<Number> values, const Outliers& outliers) {
  if (total(values) < enough) return plain(values);
  if (outliers.codes) values = without_codes(values);
  const Spread all = plain(values);
  if (outliers.share <= 0 || at_most_two(values)) return all;
  const Spread others = of_nearest(values, std::max(1.0, std::floor(outliers.share * total(values))));
  if (others.scale == 0) return all;
  const double reach = farthest * others.scale;
  for (Number& one : values)
    number_of(one) = std::clamp(number_of(one), others.centre - reach, others.centre + reach);
  return plain(values);
}

}  // namespace

Spread spread_of(std::span<double> values, const Outliers& outliers) { return without_outliers(values, outliers); }

Spread spread_of(std::span<Weighted> values, const Outliers& outliers) { return without_outliers(values, outliers); }

}  // namespace neuralts
