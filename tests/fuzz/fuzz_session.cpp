#include <cstddef>
#include <cstdint>

#include "fuzz/session_targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  neuralts::fuzz::session({reinterpret_cast<const char*>(data), size});
  return 0;
}
