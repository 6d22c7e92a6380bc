// A hash of texts that is the same on every machine and in every version: saved encodings depend on it.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace neuralts {

/// Spreads the bits (the finaliser of splitmix64).
inline std::uint64_t mixed(std::uint64_t h) {
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

/// Eight bytes at a time, then the rest with the length.
inline std::uint64_t hash_text(std::string_view text, std::uint64_t seed = 0) {
  std::uint64_t h = seed ^ 0x9e3779b97f4a7c15u;
  const std::size_t size = text.size();
  while (text.size() >= 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), 8);
    h = (h ^ word) * 0x9fb21c651e98df25u;
    h ^= h >> 32;
    text.remove_prefix(8);
  }
  std::uint64_t rest = 0;
  if (!text.empty()) std::memcpy(&rest, text.data(), text.size());
  return mixed((h ^ rest) * 0x9fb21c651e98df25u + size);
}

/// Where a value goes that shares `slots` places with others, and with which sign, by its hash.
inline std::uint32_t shared_slot(std::uint64_t hash, std::uint32_t slots) {
  return static_cast<std::uint32_t>(((hash & 0xffffffffu) * slots) >> 32);
}
inline double shared_sign(std::uint64_t hash) { return (hash >> 63) != 0 ? 1.0 : -1.0; }

}  // namespace neuralts
