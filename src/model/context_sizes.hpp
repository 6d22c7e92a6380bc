// How far from the middle of those met a context lies: its size is |phi|^2 = 1 + |x|^2, standardised. Most is left to
// learn of what lies at the edge, whoever learns it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "neuralts/archive.hpp"

namespace neuralts {

class ContextSizes {
 public:
  /// Of saved policies: earlier ones have none.
  static constexpr std::uint32_t first_version = 7;

  /// So many of them are remembered.
  static constexpr std::size_t most = 64;

  void meet(double size);
  std::uint64_t met() const { return met_; }
  /// 0 .. 1: the share of the last contexts met that are smaller, equal ones by half, as if one more were; 1 before the
  /// first.
  double smaller_than(double size) const;

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  std::uint64_t met_ = 0;
  std::array<double, most> last_{};  // a ring
};

}  // namespace neuralts
