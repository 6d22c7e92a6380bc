// The first n columns of a Cholesky factor of n + extra rows: a lower triangle L (n x n) and below it C (extra x n).
//
// Stored column by column, 64 columns of one height together. Memory: n (n / 2 + extra + 32) numbers.
// A vector has n + extra numbers. Solving k of them costs k n (n + 2 extra) operations and reads the factor once; an update by B
// vectors costs 3 B n (n + 2 extra), reads and writes it once.
#pragma once

#include <cstddef>
#include <vector>

#include "base/archive.hpp"

namespace neuralts::math {

template <class T>
class Trapezoid {
 public:
  /// L = diagonal * I, C = 0.
  Trapezoid(std::size_t n, std::size_t extra, T diagonal);

  /// k vectors v = (head, rest), `ldv` apart, in place: head = L^-1 head, then rest -= C head.
  void solve(std::size_t k, T* v, std::size_t ldv) const;

  /// Adds V'V of B vectors, `ldv` apart: L L' and C L' become those of the sum. V is destroyed: its heads are 0 afterwards, its
  /// rests are what the rows below have yet to add.
  void update(std::size_t B, T* v, std::size_t ldv);

  /// log det (L L')
  double log_det() const;
  std::size_t memory() const { return columns_.size() * sizeof(T); }
  void save(Writer& out) const { out.values(columns_); }
  void load(Reader& in) { columns_ = in.values<T>(columns_.size()); }

 private:
  static constexpr std::size_t chunk = 64;
  std::size_t height(std::size_t j) const { return n_ + extra_ - j / chunk * chunk; }  // also the distance of columns in j's chunk
  const T* diagonal(std::size_t j) const;                                             // L_jj; the column goes on below it
  T* diagonal(std::size_t j) { return const_cast<T*>(static_cast<const Trapezoid*>(this)->diagonal(j)); }
  void turn_group(std::size_t j, std::size_t columns, std::size_t B, T* v, std::size_t ldv, T* cosine, T* sine);

  std::size_t n_, extra_;
  std::vector<T> columns_;
};

}  // namespace neuralts::math
