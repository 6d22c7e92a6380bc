#include "serve/place_watch.hpp"

#include <chrono>
#include <fstream>
#include <utility>

namespace neuralts::serve {

namespace {

constexpr std::int64_t second_us = 1'000'000, look_us = second_us / 5, away_us = 60 * second_us;
constexpr std::int64_t crowded_percent = 40;  // of the time that it waits

std::int64_t ticks_us() {
  const auto ticks = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(ticks).count();
}

// Of the calling thread. proc(5), schedstat: time on a processor, time waiting for one, in nanoseconds.
std::int64_t time_waited_us() {
  std::ifstream file("/proc/thread-self/schedstat");
  std::int64_t ran = 0, waited = 0;
  return file >> ran >> waited ? waited / 1000 : 0;
}

}  // namespace

bool Crowding::stays(std::int64_t passed_us, std::int64_t waited_us) {
  if (free_us_ > 0) {
    free_us_ -= passed_us;
    return free_us_ <= 0;
  }
  passed_us_ += passed_us;
  waited_us_ += waited_us;
  if (passed_us_ < second_us) return true;
  const bool crowded = waited_us_ * 100 > passed_us_ * crowded_percent;
  passed_us_ = waited_us_ = 0;
  if (crowded) free_us_ = away_us;
  return !crowded;
}

PlaceWatch::PlaceWatch(std::function<bool()> place, std::function<void()> release)
    : place_(std::move(place)), release_(std::move(release)) {}

void PlaceWatch::look() {
  if (state_ == State::unwatched) return;
  const std::int64_t now_us = ticks_us();
  const bool first = state_ == State::unplaced;
  if (!first && now_us - looked_us_ < look_us) return;
  const std::int64_t waited_us = time_waited_us();
  const bool stays = first || crowding_.stays(now_us - looked_us_, waited_us - waited_us_);
  looked_us_ = now_us;
  waited_us_ = waited_us;
  if (stays && state_ != State::placed) state_ = place_() ? State::placed : State::unwatched;
  if (!stays && state_ == State::placed) {
    release_();
    state_ = State::released;
  }
}

}  // namespace neuralts::serve
