// Whether a thread's place (placement.hpp) is worth staying at: on a machine that others use, too, somebody else
// may stand there while another processor is free.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace neuralts::serve {

/// The rule: who has to wait for its processor for more than a fifth of the time in two looks on end looks for a
/// better one, every five seconds at most, for a change costs some milliseconds. Who had to wait for more than two
/// fifths of a second may use all for a minute: less is what those who share a processor cost each other anyway.
class Crowding {
 public:
  enum class Verdict { stay, change, leave };
  /// So much time has passed, and for so much of it the thread was ready and had no processor.
  Verdict judge(std::int64_t passed_us, std::int64_t waited_us);

 private:
  bool leaves(std::int64_t passed_us, std::int64_t waited_us);

  std::int64_t passed_us_ = 0, waited_us_ = 0, free_us_ = 0, settled_us_ = 0, pressed_ = 0;
};

/// What a thread does about its place.
struct PlaceActions {
  std::function<bool()> take;              ///< goes where it belongs; whether that is a place to watch
  std::function<void()> leave;             ///< may run anywhere
  std::function<bool()> change = {};       ///< asks for another place; whether there is one
  std::function<unsigned()> changes = {};  ///< how often anybody did: its place may be another one then
};

/// Of one thread, which calls look() every now and then. Where the system does not say who waits, all stay.
class PlaceWatch {
 public:
  explicit PlaceWatch(PlaceActions actions) : actions_(std::move(actions)) {}
  /// The thread's own; the first one places it.
  void look();

 private:
  void take();

  PlaceActions actions_;
  Crowding crowding_;
  enum class State { unplaced, placed, released, unwatched } state_ = State::unplaced;
  std::int64_t looked_us_ = 0, waited_us_ = 0;
  unsigned changes_ = 0;  // when it took its place
};

}  // namespace neuralts::serve
