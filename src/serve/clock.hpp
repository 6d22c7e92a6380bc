// Time as an argument: the service asks a Clock, so that a simulation can hold, jump and repeat time.
#pragma once

#include <cstdint>
#include <string>

namespace neuralts::serve {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Microseconds since 1970. May jump in both directions, as real clocks do.
  virtual std::int64_t now_us() const = 0;
  /// Microseconds of a clock that only goes forward; its zero means nothing.
  virtual std::int64_t ticks_us() const = 0;
};

class SystemClock final : public Clock {
 public:
  std::int64_t now_us() const override;
  std::int64_t ticks_us() const override;
};

/// "2026-08-25T10:11:12.345Z"
std::string iso_time(std::int64_t time_us);

}  // namespace neuralts::serve
