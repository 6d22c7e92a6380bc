// Requests that have been read and wait for their turn. How many there may be is a matter of time: whoever
// would wait for too long is refused before any work was done.
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>

#include "serve/http/connection.hpp"

namespace neuralts::serve {

/// The loop's thread.
class WorkQueue {
 public:
  using Ticks = std::chrono::steady_clock;

  /// How long a request that came now would wait, by the pace of the last ones: their work and what was read
  /// between the turns.
  Ticks::duration expected_wait() const {
    return std::chrono::duration_cast<Ticks::duration>(waiting_.size() * cost_);
  }
  bool empty() const { return waiting_.empty(); }
  void push(std::shared_ptr<HttpConnection> connection) { waiting_.push_back(std::move(connection)); }

  /// Works on those that wait, in order, until `turn` is over or none is left. REQUIRES that somebody waits.
  template <class Work>
  void take_turn(Ticks::duration turn, const Work& work) {
    const auto start = pausing_ ? pause_ : Ticks::now();
    const auto end = Ticks::now() + turn;
    auto now = start;
    std::size_t done = 0;
    do {
      const auto next = std::move(waiting_.front());
      waiting_.pop_front();
      work(*next);
      ++done;
      now = Ticks::now();
    } while (!waiting_.empty() && now < end);
    pausing_ = !waiting_.empty();
    pause_ = now;
    const auto error = std::chrono::duration<double>(now - start) / static_cast<double>(done) - cost_;
    cost_ += std::min(error, cost_) / memory;  // a turn in which the system took the processor away says little
  }

 private:
  static constexpr double memory = 16;  // turns
  std::deque<std::shared_ptr<HttpConnection>> waiting_;
  std::chrono::duration<double> cost_{50e-6};  // of a request
  bool pausing_ = false;                       // somebody waits for the next turn,
  Ticks::time_point pause_;                    // since then
};

}  // namespace neuralts::serve
