#include "math/statistics.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "neuralts/error.hpp"

namespace neuralts::math {

namespace {

double two_sided(double t, double df) {
  const boost::math::students_t student(df);
  return 2 * boost::math::cdf(boost::math::complement(student, std::abs(t)));
}

TTest test(double difference, double se, double df) {
  if (se == 0)
    return {difference,
            difference == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), difference), df,
            difference == 0 ? 1. : 0.};
  const double t = difference / se;
  return {difference, t, df, two_sided(t, df)};
}

}  // namespace

Sample describe(std::span<const double> values) {
  Sample sample{.n = values.size()};
  if (values.empty()) return sample;
  for (const double value : values) sample.mean += value;
  sample.mean /= static_cast<double>(sample.n);
  if (sample.n < 2) return sample;
  double squares = 0;
  for (const double value : values) squares += (value - sample.mean) * (value - sample.mean);
  sample.sd = std::sqrt(squares / static_cast<double>(sample.n - 1));
  sample.se = sample.sd / std::sqrt(static_cast<double>(sample.n));
  return sample;
}

double half_width(const Sample& sample, double confidence) {
  if (sample.n < 2) return 0;
  const boost::math::students_t student(static_cast<double>(sample.n - 1));
  return sample.se * boost::math::quantile(boost::math::complement(student, (1 - confidence) / 2));
}

TTest welch_test(const Sample& a, const Sample& b) {
  const double difference = a.mean - b.mean;
  if (a.n < 2 || b.n < 2) return {.difference = difference};
  const double va = a.se * a.se, vb = b.se * b.se, sum = va + vb;
  if (sum == 0) return test(difference, 0, static_cast<double>(a.n + b.n - 2));
  const double df = sum * sum / (va * va / static_cast<double>(a.n - 1) + vb * vb / static_cast<double>(b.n - 1));
  return test(difference, std::sqrt(sum), df);
}

TTest paired_test(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size())
    throw ContractError("paired_test: " + std::to_string(a.size()) + " values against " +
                        std::to_string(b.size()));
  std::vector<double> differences(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) differences[i] = a[i] - b[i];
  const Sample sample = describe(differences);
  if (sample.n < 2) return {.difference = sample.mean};
  return test(sample.mean, sample.se, static_cast<double>(sample.n - 1));
}

}  // namespace neuralts::math
