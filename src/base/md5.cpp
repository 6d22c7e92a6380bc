#include "base/md5.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace neuralts {

namespace {

// RFC 1321: T[i] is the integer part of 2^32 |sin(i + 1)|.
const std::array<std::uint32_t, 64>& sines() {
  static const auto table = [] {
    std::array<std::uint32_t, 64> t{};
    for (std::size_t i = 0; i < t.size(); ++i)
      t[i] = static_cast<std::uint32_t>(std::floor(std::ldexp(std::fabs(std::sin(static_cast<double>(i + 1))), 32)));
    return t;
  }();
  return table;
}

constexpr int rotations[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

}  // namespace

void Md5::block(const unsigned char* bytes) {
  std::array<std::uint32_t, 16> word{};
  std::memcpy(word.data(), bytes, 64);  // little-endian, as the rest of the library assumes
  auto [a, b, c, d] = state_;
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned turn = i / 16;
    const std::uint32_t mixed = turn == 0 ? (b & c) | (~b & d) : turn == 1 ? (d & b) | (~d & c) : turn == 2 ? b ^ c ^ d : c ^ (b | ~d);
    const unsigned at = turn == 0 ? i : turn == 1 ? 5 * i + 1 : turn == 2 ? 3 * i + 5 : 7 * i;
    const std::uint32_t sum = a + mixed + sines()[i] + word[at % 16];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, rotations[turn][i % 4]);
  }
  state_ = {state_[0] + a, state_[1] + b, state_[2] + c, state_[3] + d};
}

void Md5::update(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const std::size_t held = size_ % 64, taken = std::min<std::size_t>(64 - held, bytes.size());
    std::memcpy(pending_.data() + held, bytes.data(), taken);
    size_ += taken;
    bytes = bytes.subspan(taken);
    if (size_ % 64 == 0) block(pending_.data());
  }
}

std::string Md5::finish() {
  const std::uint64_t bits = 8 * size_;
  const char one = static_cast<char>(0x80), zero = 0;
  update({&one, 1});
  while (size_ % 64 != 56) update({&zero, 1});
  std::array<char, 8> length{};
  std::memcpy(length.data(), &bits, 8);
  update(length);
  std::string text;
  for (const std::uint32_t word : state_)
    for (int shift = 0; shift < 32; shift += 8) {
      constexpr char digits[] = "0123456789abcdef";
      text += digits[word >> (shift + 4) & 15];
      text += digits[word >> shift & 15];
    }
  return text;
}

}  // namespace neuralts
