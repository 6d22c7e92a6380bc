#include "lab/machine.hpp"

#include <sched.h>

#include <fstream>
#include <thread>

#include "base/text.hpp"

namespace neuralts {

namespace {

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(':'); colon != std::string::npos) return std::string(trim(std::string_view(line).substr(colon + 1)));
  return "unknown";
}

/// A job scheduler may have given this process fewer cores than the machine has.
unsigned usable_cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

const Machine& this_machine() {
  static const Machine machine{cpu_model(), usable_cores()};
  return machine;
}

}  // namespace neuralts
