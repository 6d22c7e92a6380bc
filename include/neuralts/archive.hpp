// Bytes for saved state: plain little-endian values, each read checked against what is left.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "neuralts/error.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

static_assert(std::endian::native == std::endian::little, "saved files are little-endian; add byte swapping here");

template <class T>
concept Plain = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

class Writer {
 public:
  template <Plain T>
  void value(const T& v) {
    append(&v, sizeof v);
  }
  template <Plain T>
  void values(std::span<const T> v) {
    value<std::uint64_t>(v.size());
    append(v.data(), v.size_bytes());
  }
  template <Plain T>
  void values(const std::vector<T>& v) {
    values(std::span<const T>(v));
  }
  /// Alone: whoever reads them knows how many they are.
  void characters(std::string_view s) { append(s.data(), s.size()); }
  void text(const std::string& s) { values(std::span<const char>(s)); }
  const std::vector<char>& bytes() const { return bytes_; }

 private:
  void append(const void* data, std::size_t size) {
    const std::size_t before = bytes_.size();
    bytes_.resize(before + size);
    if (size > 0) std::memcpy(bytes_.data() + before, data, size);
  }
  std::vector<char> bytes_;
};

/// Reads what a Writer wrote, in the same order. Throws Error(corrupt) rather than read past the end.
class Reader {
 public:
  /// `version`: of the format, where older ones are read, too; the newest unless told.
  Reader(std::span<const char> bytes, std::string where, std::uint32_t version = UINT32_MAX)
      : bytes_(bytes), where_(std::move(where)), version_(version) {}

  std::uint32_t version() const { return version_; }

  template <Plain T>
  T value() {
    T v;
    std::memcpy(&v, take(sizeof v), sizeof v);
    return v;
  }
  template <Plain T>
  std::vector<T> values() {
    const auto count = value<std::uint64_t>();
    if (count > (bytes_.size() - at_) / sizeof(T)) fail();
    std::vector<T> v(count);
    if (count > 0) std::memcpy(v.data(), take(count * sizeof(T)), count * sizeof(T));
    return v;
  }
  /// The same without a copy: valid as long as the bytes are.
  template <Plain T>
    requires(alignof(T) == 1)
  std::span<const T> view() {
    const auto count = value<std::uint64_t>();
    if (count > bytes_.size() - at_) fail();
    return {take(count), count};
  }
  /// A list whose length is known beforehand.
  template <Plain T>
  std::vector<T> values(std::size_t expected) {
    auto v = values<T>();
    if (v.size() != expected) fail();
    return v;
  }
  std::string text() {
    const auto v = values<char>();
    return {v.begin(), v.end()};
  }
  bool at_end() const { return at_ == bytes_.size(); }
  [[noreturn]] void fail() const {
    throw Error(ErrorCode::corrupt, where_, "the saved state does not fit its specification",
                "the file is damaged or was made by another version");
  }

 private:
  const char* take(std::size_t size) {
    if (size > bytes_.size() - at_) fail();
    const char* p = bytes_.data() + at_;
    at_ += size;
    return p;
  }
  std::span<const char> bytes_;
  std::string where_;
  std::uint32_t version_;
  std::size_t at_ = 0;
};

}  // namespace neuralts
#pragma GCC visibility pop
