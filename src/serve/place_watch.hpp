// Whether a thread's place (placement.hpp) is worth staying at: on a machine that others use, too, somebody else
// may stand there while another processor is free.
#pragma once

#include <cstdint>
#include <functional>

namespace neuralts::serve {

/// The rule: who had to wait for its processor for more than a fifth of a second may use all for a minute.
class Crowding {
 public:
  /// So much time has passed, and for so much of it the thread was ready and had no processor. Whether it stays.
  bool stays(std::int64_t passed_us, std::int64_t waited_us);

 private:
  std::int64_t passed_us_ = 0, waited_us_ = 0, free_us_ = 0;
};

/// Of one thread, which calls look() every now and then. Where the system does not say who waits, all stay.
class PlaceWatch {
 public:
  PlaceWatch(std::function<void()> place, std::function<void()> release);
  /// The thread's own; `now_us` of a clock that goes on.
  void look(std::int64_t now_us);

 private:
  static std::int64_t waited_us();

  std::function<void()> place_, release_;
  Crowding crowding_;
  bool placed_ = true;
  std::int64_t looked_us_ = 0, waited_us_ = -1;
};

}  // namespace neuralts::serve
