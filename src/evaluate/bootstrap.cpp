#include "evaluate/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "neuralts/random.hpp"

namespace neuralts::evaluation {

void Bootstrap::add(double base, double part, double weight) {
  if (count_ < cells) heaps_.emplace_back();
  Heap& heap = heaps_[count_++ % cells];
  heap.count += 1, heap.base += base, heap.part += part, heap.weight += weight;
}

double Bootstrap::statistic(const Heap& sum) const {
  const double base = sum.base / sum.count;
  if (!normalised_) return base + sum.part / sum.count;
  return sum.weight > 0 ? base + sum.part / sum.weight : base;
}

Interval Bootstrap::interval(double confidence, std::uint64_t seed, std::size_t draws) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (heaps_.size() < 2) return {-infinity, infinity};
  Stream stream(seed, Purpose::bootstrap);
  std::vector<double> drawn(draws);
  for (double& value : drawn) {
    Heap sum;
    for (std::size_t i = 0; i < heaps_.size(); ++i) {
      const Heap& heap = heaps_[stream.below(heaps_.size())];
      sum.count += heap.count, sum.base += heap.base, sum.part += heap.part, sum.weight += heap.weight;
    }
    value = statistic(sum);
  }
  std::sort(drawn.begin(), drawn.end());
  const auto at = [&](double part) {  // linear between order statistics
    const double place = part * static_cast<double>(draws - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, draws - 1);
    return drawn[below] + (place - static_cast<double>(below)) * (drawn[above] - drawn[below]);
  };
  return {at((1 - confidence) / 2), at((1 + confidence) / 2)};
}

}  // namespace neuralts::evaluation
