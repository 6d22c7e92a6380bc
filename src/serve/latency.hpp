// Quantiles of durations over the last minute, from counts in buckets of 5 %.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace neuralts::serve {

/// Any thread adds; whoever asks for a quantile gets one that is at most 5 % too large.
class LatencyMeter {
 public:
  void add(std::int64_t took_us, std::int64_t now_us);
  /// Of what was added in the last `slices` x ten seconds; 0 when that is nothing.
  double quantile_us(double share, std::int64_t now_us) const;

 private:
  static constexpr std::size_t buckets = 384, slices = 6;
  struct Slice {
    std::atomic<std::int64_t> start{-1};
    std::array<std::atomic<std::uint32_t>, buckets> counts{};
  };
  std::array<Slice, slices> slices_;
};

}  // namespace neuralts::serve
