#include "lab/machine.hpp"

#include <fstream>

#include "base/parallel.hpp"
#include "base/text.hpp"

namespace neuralts {

namespace {

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(':'); colon != std::string::npos)
        return std::string(trim(std::string_view(line).substr(colon + 1)));
  return "unknown";
}

}  // namespace

const Machine& this_machine() {
  static const Machine machine{cpu_model(), static_cast<unsigned>(hardware_threads())};
  return machine;
}

}  // namespace neuralts
