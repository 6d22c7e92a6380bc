// The time that records get.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "serve/clock.hpp"

namespace neuralts::serve {

/// The clock's time, but none before a record's. Where the clock was set back, time goes on at half its pace
/// until the clock has caught up: were it to stand still, no window would close until then. Any thread.
class RecordTime {
 public:
  explicit RecordTime(const Clock& clock) : clock_(clock), ticks_us_(clock.ticks_us()) {}

  std::int64_t now_us() {
    const std::lock_guard lock(mutex_);
    const std::int64_t step_us = (clock_.ticks_us() - ticks_us_) / 2;
    ticks_us_ += 2 * step_us;
    return last_us_ = std::max(clock_.now_us(), last_us_ + step_us);
  }
  /// A record of this time is there.
  void stored(std::int64_t time_us) {
    const std::lock_guard lock(mutex_);
    last_us_ = std::max(last_us_, time_us);
  }

 private:
  const Clock& clock_;
  std::mutex mutex_;
  std::int64_t last_us_ = 0, ticks_us_;
};

}  // namespace neuralts::serve
