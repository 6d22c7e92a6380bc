#include "model/kernel_function.hpp"

#include <cmath>
#include <numbers>

#include "math/simd.hpp"
#include "math/tangent_kernel.hpp"

namespace neuralts {

namespace {

// From the difference itself: |x|^2 + |y|^2 - 2 x.y would lose half the digits of nearly equal contexts.
double squared_distance(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

double of_distance(const KernelFunction& kernel, double squared) {
  if (kernel.kind == KernelFunction::Kind::rbf) return std::exp(-squared / (2 * kernel.length * kernel.length));
  return std::exp(-std::sqrt(squared) / kernel.length);
}

}  // namespace

double norm(std::span<const double> x) { return std::sqrt(math::dot(x.size(), x.data(), x.data())); }

double KernelFunction::same_block(std::span<const double> x, double norm_x, std::span<const double> y,
                                  double norm_y) const {
  if (kind != Kind::ntk) return of_distance(*this, squared_distance(x, y));
  return math::tangent_kernel_at(math::angle_between(x, norm_x, y, norm_y), norm_x, norm_y, depth).value();
}

double KernelFunction::other_block(double norm_x, double norm_y) const {
  if (kind != Kind::ntk) return of_distance(*this, norm_x * norm_x + norm_y * norm_y);
  return math::tangent_kernel_at(std::numbers::pi / 2, norm_x, norm_y, depth).value();
}

double KernelFunction::self(double norm_x) const {
  return kind == Kind::ntk ? math::tangent_kernel_at(0, norm_x, norm_x, depth).value() : 1.0;
}

}  // namespace neuralts
