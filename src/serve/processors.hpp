// Which processors a thread may use. Systems that do not say: none, and nothing changes.
#pragma once

#ifdef __linux__
#include <sched.h>
#endif

#include <span>
#include <vector>

namespace neuralts::serve {

/// Of the calling thread.
inline std::vector<int> usable_processors() {
  std::vector<int> processors;
#ifdef __linux__
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return {};
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &set)) processors.push_back(processor);
#endif
  return processors;
}

/// The calling thread, from now on. No processors: as before.
inline void stay_on([[maybe_unused]] std::span<const int> processors) {
#ifdef __linux__
  if (processors.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(processor, &set);
  ::sched_setaffinity(0, sizeof set, &set);
#endif
}

}  // namespace neuralts::serve
