// x'U^-1 x for an arrow: U = lambda I + sum v v', where every v is supported on one of K blocks of size b and
// on a common tail of size q. Kept is the inverse M of U's Cholesky factor, with the blocks first and the tail
// last:
//
//       | M_1              |
//   M = |      M_2         |      M_k: b x b lower triangular; N_k: q x b; M_s: q x q lower triangular;      x'U^-1 x = |M x|^2
//       | N_1  N_2  M_s    |
//
// Why the inverse: M x is a plain product, so groups of x that are 0 save the reading of their columns (half of
// a relu network's tangent feature is 0), and a sum of squares loses nothing to cancellation.
//
// Vectors are taken in as w = M v and wait until there are `batch` of them: x'U^-1 x = |y|^2 - (W y)'(I + W
// W')^-1 (W y), y = M x. Then M = C^-1 M with C C' = I + W'W, strip after strip of 48 rows:
//   X^-1 = chol(I + W_s Q W_s'),   M_s = X (M_s - W_s Z),   P = X W_s Q,   Z += P'M_s,   Q -= P'P,   from Q = I, Z = 0:
// products of matrices all of it.
//
// A vector is given as b + q numbers: its part in its block, then its part in the tail.
//
// Memory: b (b / 2 + q + 24) numbers for every block that was ever met (others are I / sqrt(lambda) and cost
// nothing), q^2 / 2 for the tail, `batch` vectors. Cost per vector: quadratic() b^2 / 2 + b q + q^2 / 2
// multiplications, reading what they meet once for vectors of one block that stand together; add() that and,
// spread over a batch, about three times as many at a product's speed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "neuralts/archive.hpp"
#include "math/growing_cholesky.hpp"
#include "math/strips.hpp"

namespace neuralts::math {

struct ArrowShape {
  std::size_t blocks, block, tail;  ///< K, b, q
  std::size_t group;                ///< numbers of a vector's block that are often 0 together
};

template <class T>
class ArrowInverse {
 public:
  static constexpr std::size_t batch = 128;

  /// U = lambda I. REQUIRES lambda > 0.
  ArrowInverse(const ArrowShape& shape, double lambda);

  std::size_t length() const { return shape_.block + shape_.tail; }  ///< b + q
  std::size_t work(std::size_t n) const { return n * (length() + batch); }  ///< numbers quadratic() works in

  /// out_i = v_i'U^-1 v_i for n vectors, `ldv` apart, vector i of block blocks[i]. Const, no allocation.
  void quadratic(std::size_t n, const std::uint32_t* blocks, const T* v, std::size_t ldv, T* work,
                 double* out) const;

  /// U += sum_i v_i v_i'.
  void add(std::size_t n, const std::uint32_t* blocks, const T* v, std::size_t ldv);

  /// log det U.
  double log_det() const;
  /// Back to lambda I.
  void clear(double lambda);
  std::size_t memory() const;

  /// restored by load() bit for bit, into an arrow of the same sizes.
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  struct Block {
    Strips<T> own, link;  // M_k, N_k
  };
  void add_few(std::size_t n, const std::uint32_t* blocks, const T* v, std::size_t ldv);
  void multiply(std::size_t n, const std::uint32_t* blocks, const T* v, std::size_t ldv, T* y) const;
  void meet_waiting(std::size_t n, const std::uint32_t* blocks, const T* y, T* z) const;
  T inner(std::uint32_t a, const T* x, std::uint32_t b, const T* y) const;
  Block fresh() const;
  void fold();

  ArrowShape shape_;
  double lambda_;
  std::vector<std::optional<Block>> blocks_;  // nothing: never met
  Strips<T> tail_;
  std::vector<T> waiting_;  // w of the vectors not yet in M
  std::vector<std::uint32_t> waiting_blocks_;
  GrowingCholesky<T> dual_;  // of I + W W'
};

}  // namespace neuralts::math
