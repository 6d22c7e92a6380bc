// A Cholesky factor that learns one vector at a time: R'R = A, where A gains x x'.
//
// Memory: n (n + 1) / 2 numbers, fixed. Every operation costs O(n^2) and reads R once, row by row.
#pragma once

#include <cstddef>
#include <vector>

namespace neuralts::math {

class RankOneCholesky {
 public:
  RankOneCholesky() = default;
  /// A = diagonal * I of size n. REQUIRES diagonal > 0.
  RankOneCholesky(std::size_t n, double diagonal);

  std::size_t size() const { return n_; }

  /// A = diagonal * I again.
  void restart(double diagonal) noexcept;

  /// A += x x'. `x` is used as working memory.
  void update(double* x);
  /// The same for `count` vectors at x, x + ldx, ...: less time each. REQUIRES numbers whose squares neither
  /// overflow nor vanish.
  void update(std::size_t count, double* x, std::size_t ldx);

  /// z = R^-T z, in place: afterwards z.z = x' A^-1 x for the x that was given.
  void solve_transposed(double* z) const;
  /// The same for `count` vectors at z, z + ldz, ...: less time each, the same bytes.
  void solve_transposed(std::size_t count, double* z, std::size_t ldz) const;

  /// z = R^-1 z, in place; after solve_transposed: A^-1 x.
  void solve(double* z) const;

  std::size_t memory() const { return rows_.capacity() * sizeof(double); }

  /// The packed rows, for saving; restore() takes them back. REQUIRES packed.size() == n (n + 1) / 2.
  const std::vector<double>& packed() const { return rows_; }
  void restore(std::size_t n, std::vector<double> packed);

 private:
  void set_diagonal(double diagonal) noexcept;  // of A, where R is zero elsewhere

  std::vector<double> rows_;  // row k holds R(k, k) .. R(k, n-1)
  std::size_t n_ = 0;
};

}  // namespace neuralts::math
