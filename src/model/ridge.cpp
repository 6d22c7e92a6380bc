#include "model/ridge.hpp"

#include <algorithm>
#include <cmath>

#include "math/simd.hpp"

namespace neuralts {

void Ridge::add(std::span<const double> x, double reward, double weight, std::span<double> work) {
  if (factor_.size() == 0) {
    factor_ = math::RankOneCholesky(size_, lambda_);
    moment_.assign(size_, 0.0);
    weights_.assign(size_, 0.0);
  }
  const double root = std::sqrt(weight);
  std::transform(x.begin(), x.end(), work.begin(), [root](double value) { return root * value; });
  factor_.update(work.data());
  math::axpy(size_, weight * reward, x.data(), moment_.data());
  stale_ = true;
}

void Ridge::solve() {
  if (!stale_) return;
  stale_ = false;
  weights_ = moment_;
  factor_.solve_transposed(weights_.data());
  factor_.solve(weights_.data());
}

double Ridge::mean(std::span<const double> x) const { return weights_.empty() ? 0.0 : math::dot(size_, x.data(), weights_.data()); }

void Ridge::project(std::span<const double> x, std::span<double> z) const {
  std::copy(x.begin(), x.end(), z.begin());
  if (factor_.size() > 0) return factor_.solve_transposed(z.data());
  for (double& value : z) value /= std::sqrt(lambda_);
}

void Ridge::clear() { *this = Ridge(size_, lambda_); }

void Ridge::save(Writer& out) const {
  out.values(factor_.packed());
  out.values(moment_);
  out.values(weights_);
}

void Ridge::load(Reader& in) {
  auto packed = in.values<double>();
  if (!packed.empty() && packed.size() != size_ * (size_ + 1) / 2) in.fail();
  const std::size_t size = packed.empty() ? 0 : size_;
  factor_.restore(size, std::move(packed));
  moment_ = in.values<double>(size);
  weights_ = in.values<double>(size);
}

}  // namespace neuralts
