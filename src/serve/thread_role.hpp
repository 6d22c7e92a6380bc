// What a thread is for, told to the system: a name that a person finds in top and perf, and who goes first.
#pragma once

#include <pthread.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <cstdint>

namespace neuralts::serve {

/// Of the calling thread. REQUIRES at most 15 characters.
inline void name_thread(const char* name) {
#ifdef __linux__
  ::pthread_setname_np(::pthread_self(), name);
#else
  static_cast<void>(name);
#endif
}

/// How long a thread's turn is. One of shorter turns that wakes up takes the processor at once from one of
/// longer turns; among equals it waits until the other sleeps, or for the system's next tick, which may be
/// milliseconds away. So: whoever works for longer has longer turns, and all of them are shorter than those of
/// a thread that asks for nothing.
enum class Turn : std::uint64_t { moment = 100'000, short_while = 400'000 };  // nanoseconds

/// The calling thread is waited for and asks for turns of this length. No larger share of a processor; nothing
/// on systems that do not know it.
inline void take_turns([[maybe_unused]] Turn turn) {
#ifdef __linux__
  const auto turn_ns = static_cast<std::uint64_t>(turn);
  const struct {  // the system's sched_attr, as far as it is asked for
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t turn_ns, deadline, period;
  } wanted{48, 0, 0, ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())), 0, turn_ns, 0, 0};
  ::syscall(SYS_sched_setattr, 0, &wanted, 0);
#endif
}

/// Sleeps of the calling thread end when they are over: the system would let them last up to 50 us longer.
inline void sleep_exactly() {
#ifdef __linux__
  constexpr unsigned long slack_ns = 1000;
  ::prctl(PR_SET_TIMERSLACK, slack_ns);
#endif
}

}  // namespace neuralts::serve
