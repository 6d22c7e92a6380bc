// Saved bytes whose checksums are made right, so that what they guard is reached: also of the policy inside a
// session, a model or a checkpoint.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/checksum.hpp"
#include "neuralts/agent.hpp"
#include "neuralts/archive.hpp"

namespace neuralts::fuzz {

inline constexpr std::size_t magic_and_version = 12, header_size = 16;

/// A saved file like `real`, with another body.
inline std::string with_body(std::span<const char> real, std::string_view body) {
  const std::uint32_t sum = checksum(body);
  std::string file(real.begin(), real.begin() + magic_and_version);
  file.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return file.append(body);
}
inline std::string body_of(std::string_view file) { return std::string(file.substr(header_size)); }

inline std::string policy_with_body(std::string_view body) {
  static const auto real = Agent({.name = "random", .preset = {}, .params = {}, .shape = {.length = 1}})
                               .to_bytes();
  return with_body(real, body);
}

/// Bytes that may hold a saved policy, as three texts: what stands before it, the policy's own body, what
/// follows.
inline std::string parts_of(std::string_view bytes) {
  Writer parts;
  const std::size_t policy = bytes.find("NTSPOLCY");
  std::uint64_t size = 0;
  if (policy != bytes.npos) std::memcpy(&size, bytes.data() + policy - sizeof size, sizeof size);
  const auto before = bytes.substr(0, size > 0 ? policy - sizeof size : bytes.npos);
  parts.text(std::string(before));
  parts.text(size > 0 ? body_of(bytes.substr(policy, size)) : std::string());
  parts.text(std::string(size > 0 ? bytes.substr(policy + size) : ""));
  return {parts.bytes().begin(), parts.bytes().end()};
}

/// What parts_of() took apart. Throws Error(corrupt).
inline std::string joined(std::string_view parts) {
  Reader in({parts.data(), parts.size()}, "parts");
  std::string bytes = in.text();
  if (const std::string body = in.text(); !body.empty()) {
    Writer policy;
    policy.text(policy_with_body(body));
    bytes.append(policy.bytes().begin(), policy.bytes().end());
  }
  return bytes += in.text();
}

}  // namespace neuralts::fuzz
