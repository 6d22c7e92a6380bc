// The checksum of everything that is saved: CRC-32, as zlib has it.
#pragma once

#include <cstdint>
#include <span>

namespace neuralts {

std::uint32_t checksum(std::span<const char> bytes);

}  // namespace neuralts
