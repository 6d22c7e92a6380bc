#include <cstddef>
#include <cstdint>

#include "fuzz/serve_targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  neuralts::fuzz::options({reinterpret_cast<const char*>(data), size});
  return 0;
}
