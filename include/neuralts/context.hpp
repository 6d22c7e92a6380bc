// What an arm looks like: a dense slice at an offset in R^D.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#pragma GCC visibility push(default)
namespace neuralts {

/// R^D seen as `blocks` blocks of `length` numbers. Per-arm vectors: one block. Disjoint contexts: one block
/// per arm.
struct Shape {
  std::size_t length = 0;  ///< d, how many numbers a context holds
  std::size_t blocks = 1;  ///< K for disjoint contexts, 1 for per-arm vectors
  std::size_t dim() const { return length * blocks; }
  bool operator==(const Shape&) const = default;
};

/// One context: `values` stand in block `block` of R^D, zeros everywhere else (never stored, never multiplied).
/// A view: valid as long as what it points at.
struct Slice {
  std::span<const double> values;
  std::size_t block = 0;
};

/// The contexts a round offers, one per arm. A view of the caller's numbers, cheap to copy.
class Contexts {
 public:
  /// Arm k sees row k of a row-major `arms` x d matrix, in block 0.
  static Contexts per_arm(std::span<const double> values, std::size_t arms);
  /// Arm k sees the same x, in block k.
  static Contexts disjoint(std::span<const double> x, std::size_t arms);
  /// Arm k sees the same x, in block blocks[k]: a round that offers some of the arms.
  static Contexts disjoint(std::span<const double> x, std::span<const std::uint32_t> blocks);

  std::size_t arms() const { return arms_; }
  std::size_t length() const { return length_; }
  bool shared() const { return shared_; }  ///< every arm sees the same x
  Slice operator[](std::size_t arm) const;

  /// Throws ContractError when there is no arm, a size differs from `shape`, a block is out of range, or a
  /// number is not finite.
  void check(const Shape& shape) const;

 private:
  std::span<const double> values_;
  std::span<const std::uint32_t> blocks_;  // empty: 0, 1, 2, ...
  std::size_t arms_ = 0, length_ = 0;
  bool shared_ = false;
};

/// The same check for one context (a played or a finished one).
void check_slice(const Slice& context, const Shape& shape);

}  // namespace neuralts
#pragma GCC visibility pop
