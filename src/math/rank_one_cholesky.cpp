#include "math/rank_one_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/rotation.hpp"
#include "math/simd.hpp"
#include "math/triangle.hpp"

namespace neuralts::math {

RankOneCholesky::RankOneCholesky(std::size_t n, double diagonal) : rows_(n * (n + 1) / 2), n_(n) {
  set_diagonal(diagonal);
}

void RankOneCholesky::restart(double diagonal) noexcept {
  std::fill(rows_.begin(), rows_.end(), 0.0);
  set_diagonal(diagonal);
}

void RankOneCholesky::set_diagonal(double diagonal) noexcept {
  double* row = rows_.data();
  for (std::size_t k = 0; k < n_; row += n_ - k++) row[0] = std::sqrt(diagonal);
}

void RankOneCholesky::update(double* x) { take_in(n_, rows_.data(), x, true); }

void RankOneCholesky::update(std::size_t count, double* x, std::size_t ldx) {
  take_in_rows(n_, rows_.data(), count, x, ldx);
}

void RankOneCholesky::solve_transposed(double* z) const { math::solve_transposed(n_, rows_.data(), 1, z, n_); }

void RankOneCholesky::solve_transposed(std::size_t count, double* z, std::size_t ldz) const {
  math::solve_transposed(n_, rows_.data(), count, z, ldz);
}

void RankOneCholesky::solve(double* z) const {
  const double* row = rows_.data() + rows_.size();
  for (std::size_t k = n_; k-- > 0;) {
    row -= n_ - k;
    z[k] = (z[k] - dot(n_ - k - 1, row + 1, z + k + 1)) / row[0];
  }
}

void RankOneCholesky::restore(std::size_t n, std::vector<double> packed) {
  rows_ = std::move(packed);
  n_ = n;
}

}  // namespace neuralts::math
