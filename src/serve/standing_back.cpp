#include "serve/standing_back.hpp"

#ifdef __linux__
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#endif

namespace neuralts::serve {

namespace {

constexpr std::int64_t period_us = 100'000;
constexpr std::int64_t least_share = 10, enough_share = 4;  // one tenth, one quarter of a processor

#ifdef __linux__
constexpr int low_weight = 10;  // a nice value: a tenth of what 0 gets

bool set_nice(int nice) { return ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), nice) == 0; }

std::int64_t clock_us(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}
#endif

}  // namespace

Standing next_standing(Standing now, std::int64_t had_us, std::int64_t wanted_us) {
  if (now == Standing::last) return had_us * least_share < wanted_us ? Standing::low : Standing::last;
  return had_us * enough_share >= wanted_us ? Standing::last : Standing::low;
}

#ifdef __linux__

StandingBack::StandingBack() {
  set_nice(low_weight);
  may_return_ = set_nice(low_weight - 1);  // who may do that may also leave the idle class
  set_nice(low_weight);
  if (may_return_) stand(Standing::last);
}

void StandingBack::stand(Standing standing) {
  const sched_param none{};
  if (::sched_setscheduler(0, standing == Standing::last ? SCHED_IDLE : SCHED_OTHER, &none) == 0) standing_ = standing;
}

void StandingBack::begin() {
  begun_us_ = clock_us(CLOCK_MONOTONIC);
  begun_cpu_us_ = clock_us(CLOCK_THREAD_CPUTIME_ID);
}

void StandingBack::end() {
  wanted_us_ += clock_us(CLOCK_MONOTONIC) - begun_us_;
  had_us_ += clock_us(CLOCK_THREAD_CPUTIME_ID) - begun_cpu_us_;
  if (!may_return_ || wanted_us_ < period_us) return;
  if (const Standing next = next_standing(standing_, had_us_, wanted_us_); next != standing_) stand(next);
  wanted_us_ = had_us_ = 0;
}

#else

StandingBack::StandingBack() = default;
void StandingBack::stand(Standing) {}
void StandingBack::begin() {}
void StandingBack::end() {}

#endif

}  // namespace neuralts::serve
