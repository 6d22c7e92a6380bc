// What a thread is for, told to the system: a name that a person finds in top and perf, and who goes first.
#pragma once

#include <pthread.h>

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
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

/// Where processors are scarce the calling thread gets a third of what another does: decisions go before learning.
inline void stand_back() {
#ifdef __linux__
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 5);
#endif
}

}  // namespace neuralts::serve
