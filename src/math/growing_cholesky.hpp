// A Cholesky factor that grows by a row: L L' = A, where A gains one row and column at a time.
//
// Memory: n (n + 1) / 2 numbers. Solving k right sides costs k n^2 operations and reads L once; appending costs O(n).
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

  /// Appends the row (z, sqrt(pivot)) with z = L^-1 a (a: the new column above the diagonal) and pivot = a_nn - z.z.
  /// The pivot is lifted to `floor` when rounding has pushed it below; returns whether it was.
  bool append(const T* z, double pivot, double floor);

  /// log det A.
  double log_det() const { return log_det_; }
  void clear();
  std::size_t memory() const { return rows_.capacity() * sizeof(T); }

  /// The packed rows, for saving; restore() takes them back.
  const std::vector<T>& packed() const { return rows_; }
  void restore(std::size_t n, std::vector<T> packed);

 private:
  std::vector<T> rows_;  // row i has i + 1 numbers
  std::size_t n_ = 0;
  double log_det_ = 0;
};

}  // namespace neuralts::math
