#include "serve/place_watch.hpp"

#include <chrono>
#include <fstream>

namespace neuralts::serve {

namespace {

constexpr std::int64_t second_us = 1'000'000, look_us = second_us / 5, away_us = 60 * second_us;
constexpr std::int64_t settling_us = 5 * second_us;
constexpr std::int64_t pressed_percent = 20, crowded_percent = 40;  // of a look, of a second
constexpr std::int64_t pressed_looks = 2;                           // on end

bool waits(std::int64_t percent, std::int64_t passed_us, std::int64_t waited_us) {
  return waited_us * 100 > passed_us * percent;
}

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

bool Crowding::leaves(std::int64_t passed_us, std::int64_t waited_us) {
  if (free_us_ > 0) {
    free_us_ -= passed_us;
    return free_us_ > 0;
  }
  passed_us_ += passed_us;
  waited_us_ += waited_us;
  if (passed_us_ < second_us) return false;
  const bool crowded = waits(crowded_percent, passed_us_, waited_us_);
  passed_us_ = waited_us_ = 0;
  if (crowded) free_us_ = away_us;
  return crowded;
}

Crowding::Verdict Crowding::judge(std::int64_t passed_us, std::int64_t waited_us) {
  if (leaves(passed_us, waited_us)) return Verdict::leave;
  settled_us_ += passed_us;
  pressed_ = waits(pressed_percent, passed_us, waited_us) ? pressed_ + 1 : 0;
  if (settled_us_ < settling_us || pressed_ < pressed_looks) return Verdict::stay;
  settled_us_ = pressed_ = 0;
  return Verdict::change;
}

void PlaceWatch::take() {
  if (actions_.changes) changes_ = actions_.changes();
  state_ = actions_.take() ? State::placed : State::unwatched;
}

void PlaceWatch::look() {
  if (state_ == State::unwatched) return;
  if (state_ == State::placed && actions_.changes && actions_.changes() != changes_) take();
  const std::int64_t now_us = ticks_us();
  const bool first = state_ == State::unplaced;
  if (!first && now_us - looked_us_ < look_us) return;
  const std::int64_t waited_us = time_waited_us();
  const auto verdict = first ? Crowding::Verdict::stay : crowding_.judge(now_us - looked_us_, waited_us - waited_us_);
  looked_us_ = now_us;
  waited_us_ = waited_us;
  if (verdict == Crowding::Verdict::leave && state_ == State::placed) {
    actions_.leave();
    state_ = State::released;
  } else if (verdict != Crowding::Verdict::leave && state_ != State::placed) {
    take();
  } else if (verdict == Crowding::Verdict::change && actions_.change && actions_.change()) {
    take();
  }
}

}  // namespace neuralts::serve
