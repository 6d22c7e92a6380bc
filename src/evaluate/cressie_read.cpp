#include "evaluate/cressie_read.hpp"

#include <algorithm>
#include <cmath>

#include "evaluate/likelihood.hpp"

namespace neuralts::evaluation {

CressieRead::Completed CressieRead::completed(double weight, double term) const {
  const double n = static_cast<double>(moments_.count()), dw = weight - moments_.mean(0),
               dy = term - moments_.mean(1);
  const double share = n / (n + 1) / (n + 1), kept = (n - 1) / (n + 1);  // of the new event, of the old covariance
  return {moments_.mean(0) + dw / (n + 1),
          moments_.mean(1) + dy / (n + 1),
          kept * moments_.covariance(0, 0) + share * dw * dw,
          kept * moments_.covariance(1, 1) + share * dy * dy,
          kept * moments_.covariance(0, 1) + share * dw * dy,
          n + 1};
}

double CressieRead::value() const {
  const double weight = moments_.mean(0) < 1 ? weights_.high : weights_.low;
  const double low = completed(weight, base_.low + weight * gain_.low).value();
  const double high = completed(weight, base_.high + weight * gain_.high).value();
  return std::clamp((low + high) / 2, base_.low + gain_.low, base_.high + gain_.high);
}

double CressieRead::end(bool lower, double budget) const {
  const double sign = lower ? 1 : -1;
  double best = HUGE_VAL;
  for (const double weight : {weights_.low, weights_.high}) {
    const double term = lower ? base_.low + weight * gain_.low : base_.high + weight * gain_.high;
    const Completed all = completed(weight, term);
    const double left = (budget - all.cost()) / all.n;
    if (left < 0) continue;
    const double residual = std::max(0.0, all.var_y - all.cov * all.cov / all.var_w);
    best = std::min(best, sign * all.value() - std::sqrt(residual * left));
  }
  return sign * best;
}

Interval CressieRead::interval(double confidence) const {
  const Interval whole{base_.low + gain_.low, base_.high + gain_.high};
  const double depth = profile_depth(moments_.count(), confidence);
  if (std::isinf(depth)) return whole;
  const double weight = moments_.mean(0) < 1 ? weights_.high : weights_.low;
  const double budget = completed(weight, 0).cost() + 2 * depth;
  return {std::clamp(end(true, budget), whole.low, whole.high),
          std::clamp(end(false, budget), whole.low, whole.high)};
}

}  // namespace neuralts::evaluation
