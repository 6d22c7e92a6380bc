#include "serve/standing_back.hpp"

#include <thread>

#include "serve/thread_role.hpp"

#ifdef __linux__
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#endif

namespace neuralts::serve {

namespace {

constexpr std::int64_t period_us = 100'000;
constexpr std::int64_t least_share = 50, enough_share = 4;  // one fiftieth, one quarter of a processor
constexpr std::int64_t hungry_us_max = 1'000'000, plenty_us_min = 2'000'000;

}  // namespace

void ShareMeter::count(std::int64_t had_us, std::int64_t wanted_us) {
  had_us_ += had_us;
  wanted_us_ += wanted_us;
  if (wanted_us_ < period_us) return;
  hungry_us_ = had_us_ * least_share < wanted_us_ ? hungry_us_ + wanted_us_ : 0;
  plenty_us_ = had_us_ * enough_share >= wanted_us_ ? plenty_us_ + wanted_us_ : 0;
  had_us_ = wanted_us_ = 0;
}

Standing ShareMeter::next(Standing now) const {
  if (now == Standing::last) return hungry_us_ >= hungry_us_max ? Standing::low : Standing::last;
  return plenty_us_ >= plenty_us_min ? Standing::last : Standing::low;
}

#ifdef __linux__

namespace {

// Of the calling thread. A step that lasts for longer does so because others have the processor: it would be long
// before they gave it back each time.
constexpr std::int64_t aside_us_max = 20'000;
thread_local bool stands_last = false, stands_low = false;
thread_local std::int64_t aside_until_us = 0;

std::int64_t clock_us(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

/// The calling thread, once.
void stand(Standing standing) {
  constexpr int low_weight = 10;  // a nice value: a tenth of what 0 gets
  const sched_param none{};
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), low_weight);
  stands_last = standing == Standing::last && ::sched_setscheduler(0, SCHED_IDLE, &none) == 0;
  stands_low = !stands_last;
  if (stands_low) take_turns(Turn::moment);  // the shorter, the less it gives up when it steps aside
}

}  // namespace

void step_aside() {
  if (stands_low || (stands_last && clock_us(CLOCK_MONOTONIC) < aside_until_us)) ::sched_yield();
}

void ShareMeter::begin() {
  begun_us_ = clock_us(CLOCK_MONOTONIC);
  aside_until_us = begun_us_ + aside_us_max;
  begun_cpu_us_ = clock_us(CLOCK_THREAD_CPUTIME_ID);
}

void ShareMeter::end() {
  count(clock_us(CLOCK_THREAD_CPUTIME_ID) - begun_cpu_us_, clock_us(CLOCK_MONOTONIC) - begun_us_);
}

void run_standing_back(const char* name, const std::function<bool(ShareMeter&)>& step, Standing standing) {
  bool more = true;
  while (more) {
    std::thread([&] {
      name_thread(name);
      stand(standing);
      ShareMeter meter;
      Standing next = standing;
      while (more && next == standing) {
        more = step(meter);
        next = meter.next(standing);
      }
      standing = next;
    }).join();
  }
}

#else

void step_aside() {}
void ShareMeter::begin() {}
void ShareMeter::end() {}

void run_standing_back(const char* name, const std::function<bool(ShareMeter&)>& step, Standing) {
  name_thread(name);
  ShareMeter meter;
  while (step(meter)) continue;
}

#endif

}  // namespace neuralts::serve
