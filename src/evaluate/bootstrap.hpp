// The percentile bootstrap of a mean or of a ratio of means, events drawn whole: numerator and normaliser move
// together.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "evaluate/interval.hpp"

namespace neuralts::evaluation {

/// Events are dealt to at most `cells` heaps in turn, and heaps are drawn: as good as events when there are
/// thousands, at a cost that does not grow with the log. One pass, constant memory.
class Bootstrap {
 public:
  /// The statistic is mean(base) + mean(part), or with `normalised` mean(base) + mean(part) / mean(weight).
  explicit Bootstrap(bool normalised) : normalised_(normalised) {}
  void add(double base, double part, double weight);
  /// Percentiles of `draws` resamples. A pure function of what was added and the seed.
  Interval interval(double confidence, std::uint64_t seed, std::size_t draws = 1000) const;

  static constexpr std::size_t cells = 4096;

 private:
  struct Heap {
    double count = 0, base = 0, part = 0, weight = 0;
  };
  double statistic(const Heap& sum) const;
  bool normalised_;
  std::size_t count_ = 0;
  std::vector<Heap> heaps_;
};

}  // namespace neuralts::evaluation
