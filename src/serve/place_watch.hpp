// Whether a thread's place (placement.hpp) is worth staying at: on a machine that others use, too, somebody else
// may stand there while another processor is free.
#pragma once

#include <cstdint>
#include <functional>

namespace neuralts::serve {

/// The rule: who had to wait for its processor for more than two fifths of a second may use all for a minute. Less is
/// what those who share a processor cost each other anyway, and to leave may be worse: on two processors a door that
/// goes to the committer's finds less there.
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
  /// `place` puts the calling thread where it belongs, and says whether that is a place to watch; `release` lets it
  /// run anywhere.
  PlaceWatch(std::function<bool()> place, std::function<void()> release);
  /// The thread's own; the first one places it.
  void look();

 private:
  std::function<bool()> place_;
  std::function<void()> release_;
  Crowding crowding_;
  enum class State { unplaced, placed, released, unwatched } state_ = State::unplaced;
  std::int64_t looked_us_ = 0, waited_us_ = 0;
};

}  // namespace neuralts::serve
