#include "base/checksum.hpp"

#include <zlib.h>

namespace neuralts {

std::uint32_t checksum(std::span<const char> bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace neuralts
