// Where numbers lie and how far they scatter, whatever a few of them say.
#pragma once

#include <span>

namespace neuralts {

struct Spread {
  double centre = 0, scale = 0;
};

/// Mean and standard deviation of `values`, which are reordered. From ten numbers on, the `share` of them (at least one) that lies
/// farthest from the median has no say: it counts as six standard deviations of the others, where those differ at all. A number that
/// may be one of two only is never an outlier.
/// Equivariant: a v + b have centre a c + b and scale |a| s. REQUIRES finite numbers, 0 <= share < 1/2.
Spread spread_of(std::span<double> values, double share);

}  // namespace neuralts
