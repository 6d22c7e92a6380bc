#include "math/tangent_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace neuralts::math {

namespace {

constexpr double pi = std::numbers::pi;

// sin t - t cos t, which cancels to t^3 / 3 for small t: there its series, whose terms are (-1)^k 2k t^(2k+1) /
// (2k+1)!.
double sine_excess(double t) {
  if (t > 0.5) return std::sin(t) - t * std::cos(t);
  double term = t, sum = 0;
  for (int k = 1; k < 9; ++k) {
    term *= -t * t / (2 * k * (2 * k + 1));
    sum -= 2 * k * term;
  }
  return sum;
}

// 1 - cos of the next layer's angle. The first form is exact near 0, the second near pi.
double next_versine(double angle) {
  if (angle > pi / 2) return 1 - sine_excess(pi - angle) / pi;
  const double s = std::sin(angle / 2);
  return 2 * s * s - sine_excess(angle) / pi;
}

double angle_of_versine(double v) {
  return 2 * std::asin(std::sqrt(std::clamp(v / 2, 0.0, 1.0)));
}

}  // namespace

TangentKernel tangent_kernel_at(double angle, double norm_x, double norm_y, std::size_t depth) {
  double covariance = std::cos(angle), tangent = covariance;
  for (std::size_t layer = 1; layer < depth; ++layer) {
    const double versine = next_versine(angle);
    covariance = 1 - versine;
    tangent = tangent * (pi - angle) / pi + covariance;
    angle = angle_of_versine(versine);
  }
  const double scale = norm_x * norm_y;
  return {scale * tangent, scale * covariance};
}

double tangent_kernel(double dot, double norm_x, double norm_y, std::size_t depth) {
  const double scale = norm_x * norm_y;
  return scale > 0 ? tangent_kernel_at(angle_of_cosine(dot / scale), norm_x, norm_y, depth).value() : 0;
}

double angle_between(std::span<const double> x, double norm_x, std::span<const double> y, double norm_y) {
  if (!(norm_x > 0 && norm_y > 0)) return 0;
  double minus = 0, plus = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = x[i] / norm_x, b = y[i] / norm_y;
    minus += (a - b) * (a - b);
    plus += (a + b) * (a + b);
  }
  return 2 * std::atan2(std::sqrt(minus), std::sqrt(plus));
}

double angle_of_cosine(double cosine) {
  const double c = std::clamp(cosine, -1.0, 1.0);
  return 2 * std::atan2(std::sqrt(1 - c), std::sqrt(1 + c));
}

}  // namespace neuralts::math
