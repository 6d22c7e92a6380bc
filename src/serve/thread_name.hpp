// Threads that a person tells apart in top and perf.
#pragma once

#include <pthread.h>

namespace neuralts::serve {

/// Of the calling thread. REQUIRES at most 15 characters.
inline void name_thread(const char* name) {
#ifdef __linux__
  ::pthread_setname_np(::pthread_self(), name);
#else
  static_cast<void>(name);
#endif
}

}  // namespace neuralts::serve
