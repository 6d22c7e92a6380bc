#include "serve/latency.hpp"

#include <algorithm>
#include <cmath>

namespace neuralts::serve {

namespace {

constexpr std::int64_t slice_us = 10'000'000;
const double log_step = std::log(1.05);

}  // namespace

void LatencyMeter::add(std::int64_t took_us, std::int64_t now_us) {
  const std::int64_t start = now_us / slice_us;
  Slice& slice = slices_[static_cast<std::size_t>(start) % slices];
  std::int64_t seen = slice.start.load(std::memory_order_relaxed);
  if (seen != start && slice.start.compare_exchange_strong(seen, start))
    for (auto& count : slice.counts) count.store(0, std::memory_order_relaxed);
  const double place = std::log(static_cast<double>(std::max<std::int64_t>(1, took_us))) / log_step;
  slice.counts[std::min(buckets - 1, static_cast<std::size_t>(place))].fetch_add(1, std::memory_order_relaxed);
}

double LatencyMeter::quantile_us(double share, std::int64_t now_us) const {
  std::array<std::uint64_t, buckets> sums{};
  std::uint64_t total = 0;
  for (const Slice& slice : slices_) {
    if (slice.start.load() < now_us / slice_us - static_cast<std::int64_t>(slices)) continue;
    for (std::size_t i = 0; i < buckets; ++i) sums[i] += slice.counts[i].load(std::memory_order_relaxed);
  }
  for (const auto sum : sums) total += sum;
  if (total == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(total));
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < buckets; ++i)
    if ((below += sums[i]) > wanted) return std::exp(static_cast<double>(i + 1) * log_step);
  return std::exp(static_cast<double>(buckets) * log_step);
}

}  // namespace neuralts::serve
