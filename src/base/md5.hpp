// MD5 (RFC 1321), for checksums that data services publish; not for anything an adversary could touch.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace neuralts {

class Md5 {
 public:
  void update(std::span<const char> bytes);
  /// 32 hexadecimal digits. Call once, last.
  std::string finish();

 private:
  void block(const unsigned char* bytes);
  std::array<std::uint32_t, 4> state_{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::array<unsigned char, 64> pending_{};
  std::uint64_t size_ = 0;
};

}  // namespace neuralts
