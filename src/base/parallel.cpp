#include "base/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>

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
  void rethrow() const {
    if (failure) std::rethrow_exception(failure);
  }
};

}  // namespace

// A job scheduler may have given this process fewer cores than the machine has.
std::size_t hardware_threads() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1U, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& body) {
  if (threads == 0) threads = hardware_threads();
  Turns turns{count, body};
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(threads, count); ++i) others.emplace_back([&turns] { turns.work(); });
    turns.work();
  }
  turns.rethrow();
}

struct Crew::Loop : Turns {};

Crew::Crew(std::size_t threads) {
  if (threads == 0) threads = hardware_threads();
  for (std::size_t i = 1; i < threads; ++i)
    helpers_.emplace_back([this](std::stop_token stop) { help(std::move(stop)); });
}

Crew::~Crew() = default;

void Crew::help(std::stop_token stop) {
  std::size_t seen = 0;
  std::unique_lock lock(mutex_);
  while (opened_.wait(lock, stop, [&] { return loop_ != nullptr && number_ != seen; })) {
    seen = number_;
    Loop& loop = *loop_;
    ++inside_;
    lock.unlock();
    loop.work();
    lock.lock();
    if (--inside_ == 0) left_.notify_one();
  }
}

// Helpers that wake up late find the loop closed and sleep on: nobody waits for them.
void Crew::run(std::size_t count, const std::function<void(std::size_t)>& body) {
  Loop loop{{count, body}};
  if (helpers_.empty() || count < 2) {
    loop.work();
    return loop.rethrow();
  }
  {
    const std::lock_guard lock(mutex_);
    loop_ = &loop;
    ++number_;
  }
  opened_.notify_all();
  loop.work();
  {
    std::unique_lock lock(mutex_);
    loop_ = nullptr;
    left_.wait(lock, [this] { return inside_ == 0; });
  }
  loop.rethrow();
}

}  // namespace neuralts
