// Statistics of small samples: means, spreads, bands, and the two t-tests the reports use.
#pragma once

#include <cstddef>
#include <span>

namespace neuralts::math {

struct Sample {
  std::size_t n = 0;
  double mean = 0;
  double sd = 0;  ///< with n - 1; 0 for n < 2
  double se = 0;  ///< sd / sqrt(n)
};
Sample describe(std::span<const double> values);

/// Half the width of the two-sided confidence interval of the mean (Student's t); 0 for n < 2, where there is none.
double half_width(const Sample& sample, double confidence);

struct TTest {
  double difference = 0;  ///< mean of a - mean of b
  double t = 0;
  double df = 0;
  double p = 1;  ///< two-sided
  bool made() const { return df > 0; }  ///< false: too few values for a test; its p says nothing
};
/// Unequal variances (Welch). Two samples that are constant differ surely (p = 0) or not at all (p = 1).
/// Fewer than two values on a side: p = 1.
TTest welch_test(const Sample& a, const Sample& b);
/// Differences a[i] - b[i] against 0. REQUIRES equal sizes. Fewer than two pairs: p = 1.
TTest paired_test(std::span<const double> a, std::span<const double> b);

}  // namespace neuralts::math
