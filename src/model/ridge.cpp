#include "model/ridge.hpp"

#include <algorithm>
#include <cmath>

#include "math/simd.hpp"

namespace neuralts {

void Ridge::begin() {
  if (begun()) return;
  math::RankOneCholesky factor(size_, lambda_);
  std::vector<double> moment(size_), weights(size_);
  factor_ = std::move(factor);
  moment_.swap(moment);
  weights_.swap(weights);
}

void Ridge::add(std::span<const double> x, double reward, double weight, std::span<double> work) {
  begin();
  used_ = true;
  const double root = std::sqrt(weight);
  std::transform(x.begin(), x.end(), work.begin(), [root](double value) { return root * value; });
  factor_.update(work.data());
  math::axpy(size_, weight * reward, x.data(), moment_.data());
  stale_ = true;
}

void Ridge::add_rows(std::size_t n, double* x, const double* rewards, const double* weights) {
  begin();
  used_ = stale_ = true;
  for (std::size_t i = 0; i < n; ++i) {
    double* const row = x + i * size_;
    const double root = std::sqrt(weights[i]);
    math::axpy(size_, weights[i] * rewards[i], row, moment_.data());
    if (root != 1) std::transform(row, row + size_, row, [root](double value) { return root * value; });
  }
  factor_.update(n, x, size_);
}

void Ridge::solve() {
  if (!stale_) return;
  stale_ = false;
  weights_ = moment_;
  factor_.solve_transposed(weights_.data());
  factor_.solve(weights_.data());
}

double Ridge::mean(std::span<const double> x) const {
  return weights_.empty() ? 0.0 : math::dot(size_, x.data(), weights_.data());
}

void Ridge::project(std::span<const double> x, std::span<double> z) const {
  std::copy(x.begin(), x.end(), z.begin());
  if (begun()) return factor_.solve_transposed(z.data());
  for (double& value : z) value /= std::sqrt(lambda_);
}

void Ridge::project_few(std::size_t n, const double* x, std::size_t ldx, double* z) const {
  if (!begun()) {
    for (std::size_t i = 0; i < n; ++i) project({x + i * ldx, size_}, {z + i * size_, size_});
    return;
  }
  for (std::size_t i = 0; i < n; ++i) std::copy_n(x + i * ldx, size_, z + i * size_);
  factor_.solve_transposed(n, z, size_);
}

// With many contexts R^-1 is worth its price: z' = x'R^-1 is then a matrix product.
void Ridge::project_rows(std::size_t n, const double* x, std::size_t ldx, Scratch& scratch, double* z) const {
  if (!begun() || n < 2 * size_) return project_few(n, x, ldx, z);
  const auto inverse = scratch.take<double>(size_ * size_);
  invert_factor(inverse);
  math::gemm<double>(n, size_, size_, x, ldx, 1, inverse.data(), size_, 0, z, size_);
}

void Ridge::inverse_factor(std::span<float> out) const {
  std::vector<double> inverse(size_ * size_);
  invert_factor(inverse);
  std::copy(inverse.begin(), inverse.end(), out.begin());
}

// Row i of R^-1 is R^-T e_i.
void Ridge::invert_factor(std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t i = 0; i < size_; ++i) out[i * size_ + i] = begun() ? 1 : 1 / std::sqrt(lambda_);
  if (begun()) factor_.solve_transposed(size_, out.data(), size_);
}

void Ridge::clear() noexcept { *this = Ridge(size_, lambda_); }

void Ridge::restart() noexcept {
  factor_.restart(lambda_);
  for (auto* list : {&moment_, &weights_}) std::fill(list->begin(), list->end(), 0.0);
  stale_ = used_ = false;
}

void Ridge::save(Writer& out) const {
  out.values(factor_.packed());
  out.values(moment_);
  out.values(weights_);
}

void Ridge::load(Reader& in) {
  auto packed = in.values<double>();
  if (!packed.empty() && packed.size() != size_ * (size_ + 1) / 2) in.fail();
  const std::size_t size = packed.empty() ? 0 : size_;
  used_ = size > 0;
  factor_.restore(size, std::move(packed));
  moment_ = in.values<double>(size);
  weights_ = in.values<double>(size);
}

}  // namespace neuralts
