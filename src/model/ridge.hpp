// Ridge regression that learns one row at a time.
//
// Letters: X rows seen, r their rewards, A = lambda I + X'X = R'R, b = X'r, w = A^-1 b.
#pragma once

#include <span>
#include <vector>

#include "neuralts/archive.hpp"
#include "math/rank_one_cholesky.hpp"
#include "neuralts/scratch.hpp"

namespace neuralts {

class Ridge {
 public:
  /// REQUIRES lambda > 0.
  Ridge(std::size_t size, double lambda) : size_(size), lambda_(lambda) {}

  std::size_t size() const { return size_; }

  /// Takes the memory that the first row needs, so that add() and solve() cannot fail; gives it back if no row
  /// came.
  void begin();
  bool begun() const { return factor_.size() > 0; }
  void end_unless_used() noexcept {
    if (!used_) clear();
  }

  /// A += weight x x', b += weight reward x. w follows with solve(). `work`: size() numbers. REQUIRES weight > 0.
  void add(std::span<const double> x, double reward, double weight, std::span<double> work);

  /// add() of n rows of size() numbers at x, which are used as working memory: less time each. REQUIRES weights
  /// > 0 and moderate numbers.
  void add_rows(std::size_t n, double* x, const double* rewards, const double* weights);

  /// w = A^-1 b, O(size^2): once after any number of add(). REQUIRED before mean() and save().
  void solve();

  /// x.w
  double mean(std::span<const double> x) const;

  /// z = R^-T x: z.z = x'A^-1 x, and for two contexts z.z' is their covariance. z may not alias x.
  void project(std::span<const double> x, std::span<double> z) const;

  /// project() of n contexts, row i at x + i * ldx, into rows of size() numbers at z: less time each, the same
  /// bytes.
  void project_few(std::size_t n, const double* x, std::size_t ldx, double* z) const;

  /// The same for many: a matrix product where there are more than twice size(), and then not the same bytes.
  void project_rows(std::size_t n, const double* x, std::size_t ldx, Scratch& scratch, double* z) const;

  /// R^-1 into `out`, size() x size(), row-major: z' = x'R^-1 is what project() gives, but for rounding.
  void inverse_factor(std::span<float> out) const;

  /// Nothing is held before the first row, so that arms never played cost nothing.
  std::size_t memory() const {
    return factor_.memory() + (moment_.capacity() + weights_.capacity()) * sizeof(double);
  }
  void clear() noexcept;
  /// Forgets all rows and holds on to the memory of begin().
  void restart() noexcept;
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  void invert_factor(std::span<double> out) const;

  std::size_t size_;
  double lambda_;
  math::RankOneCholesky factor_;
  std::vector<double> moment_, weights_;  // b, w
  bool stale_ = false;                    // rows were added since solve()
  bool used_ = false;                     // rows were added at all
};

}  // namespace neuralts
