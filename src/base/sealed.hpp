// What is saved as one piece: 8 characters that say what it is, u32 version of its format, u32 checksum of its body,
// the body.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "neuralts/archive.hpp"

namespace neuralts {

struct SealedKind {
  std::string_view magic;         // 8 characters
  std::uint32_t version, oldest;  // written; read, too
  std::string_view what;          // "policy"
};

struct Unsealed {
  std::uint32_t version;
  std::span<const char> body;  // of what was given
};

std::vector<char> seal(const SealedKind& kind, const Writer& body);
/// Whether it looks like one; its body may still be damaged.
bool is_sealed(const SealedKind& kind, std::span<const char> bytes);
/// Throws Error: corrupt, unsupported. `where`: what errors call it.
Unsealed unseal(const SealedKind& kind, std::span<const char> bytes, const std::string& where);
/// Throws Error(unsupported): of a version that is not read.
[[noreturn]] void refuse_version(const SealedKind& kind, std::uint32_t found, const std::string& where);

}  // namespace neuralts
