#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace neuralts {

namespace {

struct Turns {
  const std::size_t count;
  const std::function<void(std::size_t)>& body;
  std::atomic<std::size_t> next{0};
  std::mutex mutex{};
  std::exception_ptr failure{};

  void work() {
    for (std::size_t i = next++; i < count; i = next++) try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
  }
};

}  // namespace

std::size_t hardware_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

void parallel_for(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& body) {
  if (threads == 0) threads = hardware_threads();
  Turns turns{count, body};
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(threads, count); ++i) others.emplace_back([&turns] { turns.work(); });
    turns.work();
  }
  if (turns.failure) std::rethrow_exception(turns.failure);
}

}  // namespace neuralts
