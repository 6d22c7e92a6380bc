// Compact bytes of the journal's records: counts of one byte where they are small, texts and numbers with their
// length.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "neuralts/archive.hpp"

namespace neuralts::serve {

template <Plain T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline void put_count(std::string& out, std::uint64_t value) {
  for (; value >= 128; value >>= 7) out += static_cast<char>(value | 128);
  out += static_cast<char>(value);
}

inline void put_text(std::string& out, std::string_view text) {
  put_count(out, text.size());
  out += text;
}

/// Takes such bytes apart. Views hold as long as the bytes do. Throws Error(corrupt) rather than read past the end.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : left_(bytes) {}

  std::string_view take(std::size_t size) {
    if (size > left_.size()) damaged();
    const auto taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  template <Plain T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::uint64_t count() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = get<std::uint8_t>();
      value |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return value;
    }
    damaged();
  }
  /// A count of things that take a byte each at least: what is left bounds it.
  std::size_t size() {
    const std::uint64_t value = count();
    if (value > left_.size()) damaged();
    return value;
  }
  std::uint32_t index() { return static_cast<std::uint32_t>(count()); }
  std::string_view text() { return take(count()); }
  bool at_end() const { return left_.empty(); }

  [[noreturn]] static void damaged() {
    throw Error(ErrorCode::corrupt, "journal", "a record's bytes do not fit their checksum",
                "restore the segment from a backup");
  }

 private:
  std::string_view left_;
};

}  // namespace neuralts::serve
