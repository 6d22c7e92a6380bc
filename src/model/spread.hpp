// Where numbers lie and how far they scatter, whatever a few of them say.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace neuralts {

struct Spread {
  double centre = 0, scale = 0;
};

/// Which of them.
struct Outliers {
  double share = 0;    ///< of the numbers: those farthest from the median
  bool codes = false;  ///< the least and the greatest, where they stand for something else than a size: -999 for "not known"
};

/// Mean and standard deviation of `values`, which are reordered. From ten numbers on, the share of them (at
/// least one) that lies farthest from the median has no say: it counts as six standard deviations of the
/// others, where those differ at all. A number that may be one of two only is never an outlier.
/// A code has no part in either: a number that came more than once, though less often than all others together, and
/// lies farther from the next one than four times what those others span; one at either end.
/// Equivariant: a v + b have centre a c + b and scale |a| s. REQUIRES finite numbers, 0 <= share < 1/2.
Spread spread_of(std::span<double> values, const Outliers& outliers);

/// A number that counts `weight` times.
struct Weighted {
  double value = 0, weight = 1;
};

/// The same of numbers with weights (>= 0): a weight of 2 is the number twice, one of 0 is none.
Spread spread_of(std::span<Weighted> values, const Outliers& outliers);

/// Numbers on their way to spread_of(), with weights where there are any; its memory is kept from one time to
/// the next.
class SpreadSample {
 public:
  /// Room for so many: what follows cannot fail then.
  void reserve(std::size_t count, bool weighted) {
    if (weighted) weighted_.reserve(count);
    else values_.reserve(count);
  }
  void clear() { values_.clear(), weighted_.clear(); }
  void add(double value) { values_.push_back(value); }
  void add(double value, double weight) { weighted_.push_back({value, weight}); }
  /// REQUIRES all numbers since clear() with weights, or none. Reorders them.
  Spread spread(const Outliers& outliers) {
    return weighted_.empty() ? spread_of(values_, outliers) : spread_of(weighted_, outliers);
  }

 private:
  std::vector<double> values_;
  std::vector<Weighted> weighted_;
};

}  // namespace neuralts
