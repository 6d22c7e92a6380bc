#include "serve/clock.hpp"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

namespace neuralts::serve {

namespace {

template <class ChronoClock>
std::int64_t microseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(ChronoClock::now().time_since_epoch()).count();
}

}  // namespace

std::int64_t SystemClock::now_us() const { return microseconds<std::chrono::system_clock>(); }
std::int64_t SystemClock::ticks_us() const { return microseconds<std::chrono::steady_clock>(); }

std::string iso_time(std::int64_t time_us) {
  const auto seconds = static_cast<std::time_t>(time_us / 1'000'000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, time_us / 1000 % 1000);
}

}  // namespace neuralts::serve
