// A Cholesky factor that grows: L L' = A, where A gains rows and columns at its end, one or many at a time.
//
// Memory: n (n + 64) / 2 numbers, taken 64 rows at a time: growing never copies what is there. Solving k right
// sides costs k n^2 operations and reads L once; appending a solved row costs O(n), a solved block of B rows
// O(B^2 n).
//
// Repeated rows. A is meant to be lambda I + (a Gram matrix), so every pivot (what is left of a diagonal entry
// after the rows above have explained their part) is at least lambda, and exactly that much is left when a row
// repeats an old one over and over. Rounding may push a computed pivot below; it is then lifted to the floor
// the caller gives, which should be lambda: the smallest value it can have, so the factor never breaks down and
// a repeated row never looks more informative than it is.
#pragma once

#include <cstddef>
#include <vector>

namespace neuralts::math {

template <class T>
class GrowingCholesky {
 public:
  std::size_t size() const { return n_; }

  /// Z = L^-1 Z for k vectors, vector r at z + r * ldz, each of size() numbers. Const, no allocation.
  void solve(std::size_t k, T* z, std::size_t ldz) const;

  /// x = L^-T x for one vector, in place.
  void solve_transposed(T* x) const;

  /// Appends the row (z, sqrt(pivot)) with z = L^-1 a (a: the new column above the diagonal) and pivot = a_nn -
  /// z.z. The pivot is lifted to `floor` when rounding has pushed it below; returns whether it was.
  bool append(const T* z, double pivot, double floor);

  /// Appends B rows at once: row b of z (distance ldz) is L^-1 a_b, all solved against the present L in one
  /// call of solve(); self[B x B]: the new rows' own part of A, of which the lower triangle is read. Returns
  /// how many pivots were lifted.
  std::size_t append_block(std::size_t B, const T* z, std::size_t ldz, const double* self, double floor);

  /// log det A.
  double log_det() const { return log_det_; }
  void clear();
  /// Only the first n rows stay, to the last bit as they were before the others came. REQUIRES n <= size().
  void truncate(std::size_t n) noexcept;
  std::size_t memory() const;

  /// The rows, row i of i + 1 numbers, for saving; restore() takes them back and continues bit for bit.
  std::vector<T> packed() const;
  void restore(std::size_t n, const std::vector<T>& packed);

 private:
  static constexpr std::size_t chunk = 64;  // rows of one allocation; all have the length of its last row
  static std::size_t stride(std::size_t i) { return (i / chunk + 1) * chunk; }
  const T* row(std::size_t i) const { return chunks_[i / chunk].data() + i % chunk * stride(i); }
  void solve_rows(std::size_t begin, std::size_t end, std::size_t k, T* z, std::size_t ldz) const;
  void reduce_chunk(std::size_t begin, std::size_t rows, std::size_t k, T* z, std::size_t ldz) const;
  T* new_row();
  void finish_row(T* row, T diagonal);

  std::vector<std::vector<T>> chunks_;
  std::size_t n_ = 0;
  double log_det_ = 0;
};

}  // namespace neuralts::math
