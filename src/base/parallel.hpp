// A loop whose turns may run at once. What a turn computes must not depend on which thread runs it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace neuralts {

/// As many as this process may use, at least 1.
std::size_t hardware_threads();

/// Calls body(0), ..., body(count - 1), each once, from up to `threads` threads (0: as many as there are).
/// The first exception of a turn ends the loop early and is thrown again here.
void parallel_for(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& body);

/// Threads that stay between loops, for loops so many and so short that starting threads would count. They sleep
/// while there is none.
class Crew {
 public:
  /// The caller is one of the `threads` (0: as many as the machine has).
  explicit Crew(std::size_t threads = 0);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  std::size_t threads() const { return helpers_.size() + 1; }
  /// As parallel_for. REQUIRES one caller at a time, and none from within a turn.
  void run(std::size_t count, const std::function<void(std::size_t)>& body);

 private:
  struct Loop;
  void help(std::stop_token stop);

  std::mutex mutex_;
  std::condition_variable_any opened_, left_;
  Loop* loop_ = nullptr;       // open to helpers
  std::size_t number_ = 0;     // of the loops so far
  std::size_t inside_ = 0;     // helpers in the loop
  std::vector<std::jthread> helpers_;
};

}  // namespace neuralts
