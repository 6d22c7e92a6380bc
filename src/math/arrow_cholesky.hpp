// The Cholesky factor of an arrow: U = lambda I + sum v v', where every v is supported on one of K blocks of size b and on a
// common tail of size q. With the blocks first, U has K diagonal blocks, couplings of each block to the tail, and nothing
// between blocks; its factor has the same shape:
//
//       | L_1              |
//   L = |      L_2         |      b x b each; C_k: q x b; L_s: q x q, the factor of what is left of the tail.
//       | C_1  C_2  L_s    |
//
// A vector is given as b + q numbers: its part in its block, then its part in the tail.
//
// Memory: b (b / 2 + q) numbers for every block that was ever updated (others are sqrt(lambda) I and cost nothing), q^2 / 2 for
// the tail. Cost per vector: whiten b^2 + 2 b q + q^2 operations, absorb twice that. Whitening reads the blocks concerned once for
// all vectors given together, absorbing reads and writes them once for every eight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/archive.hpp"
#include "math/trapezoid.hpp"

namespace neuralts::math {

template <class T>
class ArrowCholesky {
 public:
  /// U = lambda I. REQUIRES lambda > 0.
  ArrowCholesky(std::size_t blocks, std::size_t block, std::size_t tail, double lambda);

  std::size_t length() const { return block_ + tail_size_; }  ///< b + q

  /// v_i = L^-1 v_i in place for n vectors, `ldv` apart, vector i of block blocks[i]: |L^-1 v|^2 = v'U^-1 v. Const, no allocation.
  /// Vectors of one block are solved together when they stand together.
  void whiten(std::size_t n, const std::uint32_t* blocks, T* v, std::size_t ldv) const;

  /// U += sum_i v_i v_i', given w_i = L^-1 v_i as whiten() left them. The vectors are destroyed. Fastest when vectors of one
  /// block stand together.
  void absorb(std::size_t n, const std::uint32_t* blocks, T* w, std::size_t ldw);
  /// U += sum_i v_i v_i': whiten, then absorb.
  void update(std::size_t n, const std::uint32_t* blocks, T* v, std::size_t ldv);

  /// log det U.
  double log_det() const;
  /// Back to lambda I.
  void clear(double lambda);
  std::size_t memory() const;

  /// restored by load() bit for bit, into an arrow of the same sizes.
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  void absorb_group(std::size_t block, std::size_t B, T* w, std::size_t ldw, std::size_t rest, const std::uint32_t* rest_blocks);

  std::size_t block_, tail_size_;
  double lambda_;
  std::vector<std::unique_ptr<Trapezoid<T>>> blocks_;  // null: never updated
  Trapezoid<T> tail_;
};

}  // namespace neuralts::math
