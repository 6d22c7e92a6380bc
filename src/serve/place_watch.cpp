#include "serve/place_watch.hpp"

#include <fstream>
#include <utility>

namespace neuralts::serve {

namespace {
constexpr std::int64_t second_us = 1'000'000, look_us = second_us / 5, away_us = 60 * second_us;
constexpr std::int64_t crowded_part = 5;  // waits for more than one in so many
}  // namespace

bool Crowding::stays(std::int64_t passed_us, std::int64_t waited_us) {
  if (free_us_ > 0) {
    free_us_ -= passed_us;
    return free_us_ <= 0;
  }
  passed_us_ += passed_us;
  waited_us_ += waited_us;
  if (passed_us_ < second_us) return true;
  const bool crowded = waited_us_ * crowded_part > passed_us_;
  passed_us_ = waited_us_ = 0;
  if (crowded) free_us_ = away_us;
  return !crowded;
}

PlaceWatch::PlaceWatch(std::function<void()> place, std::function<void()> release)
    : place_(std::move(place)), release_(std::move(release)) {}

// proc(5), schedstat: time on a processor, time waiting for one, in nanoseconds.
std::int64_t PlaceWatch::waited_us() {
  std::ifstream file("/proc/thread-self/schedstat");
  std::int64_t ran = 0, waited = 0;
  return file >> ran >> waited ? waited / 1000 : 0;
}

void PlaceWatch::look(std::int64_t now_us) {
  if (waited_us_ >= 0 && now_us - looked_us_ < look_us) return;
  const std::int64_t waited = waited_us();
  const bool first = waited_us_ < 0;
  const bool stays = first || crowding_.stays(now_us - looked_us_, waited - waited_us_);
  looked_us_ = now_us;
  waited_us_ = waited;
  if (stays != placed_) (stays ? place_ : release_)();
  placed_ = stays;
}

}  // namespace neuralts::serve
