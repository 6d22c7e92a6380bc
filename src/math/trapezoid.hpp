// The first n columns of a Cholesky factor of n + extra rows: a lower triangle L (n x n) and below it C (extra x n).
//
// Stored column by column, 64 columns of one height together. Memory: n (n / 2 + extra + 32) numbers.
// A vector has n + extra numbers. Solving k of them costs k n (n + 2 extra) operations and reads the factor once; multiplying by
// B of them costs 2 B n (n + 2 extra), reads and writes it once.
#pragma once

#include <cstddef>
#include <vector>

#include "base/archive.hpp"
#include "math/unit_update.hpp"

namespace neuralts::math {

template <class T>
class Trapezoid {
 public:
  /// L = diagonal * I, C = 0.
  Trapezoid(std::size_t n, std::size_t extra, T diagonal);

  std::size_t columns() const { return n_; }
  std::size_t rows() const { return n_ + extra_; }

  /// k vectors v = (head, rest), `ldv` apart, in place: head = L^-1 head, then rest -= C head.
  void solve(std::size_t k, T* v, std::size_t ldv) const;

  /// L = L M, C = C M + (what columns to the right contribute), for the part of M that `part` holds for these n columns.
  /// s: part.size() vectors of rows() numbers, `lds` apart: 0 for L's rows; for C's, what columns to the right have summed up.
  /// Ends as the sums over these columns and those.
  void multiply(const UnitPart<T>& part, T* s, std::size_t lds);

  /// log det (L L')
  double log_det() const;
  std::size_t memory() const { return columns_.size() * sizeof(T); }
  void save(Writer& out) const { out.values(columns_); }
  void load(Reader& in) { columns_ = in.values<T>(columns_.size()); }

 private:
  static constexpr std::size_t chunk = 64;
  std::size_t height(std::size_t j) const { return rows() - j / chunk * chunk; }  // also the distance of columns in j's chunk
  const T* diagonal(std::size_t j) const;                                         // L_jj; the column goes on below it
  T* diagonal(std::size_t j) { return const_cast<T*>(static_cast<const Trapezoid*>(this)->diagonal(j)); }

  std::size_t n_, extra_;
  std::vector<T> columns_;  // above the diagonal, inside a chunk: 0
};

}  // namespace neuralts::math
