// What a thread is for, told to the system: a name that a person finds in top and perf, and who goes first.
#pragma once

#include <pthread.h>

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#endif

namespace neuralts::serve {

/// Of the calling thread. REQUIRES at most 15 characters.
inline void name_thread(const char* name) {
#ifdef __linux__
  ::pthread_setname_np(::pthread_self(), name);
#else
  static_cast<void>(name);
#endif
}

/// The calling thread works for moments at a time and is waited for: it asks for short turns, and so gets the next one soon, before a
/// thread that computes for long. No larger share of a processor; nothing on systems that do not know it.
inline void take_short_turns() {
#ifdef __linux__
  constexpr std::uint64_t turn_ns = 200'000;
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

}  // namespace neuralts::serve
