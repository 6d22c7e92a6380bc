// What a time was measured on, in words; nothing that names a person or a host.
#pragma once

#include <string>

namespace neuralts {

struct Machine {
  std::string cpu;
  unsigned cores = 0;  ///< that this process may use
};
const Machine& this_machine();

}  // namespace neuralts
