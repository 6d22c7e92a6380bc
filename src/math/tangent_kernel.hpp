// The neural tangent kernel of a pair of contexts, for networks of any depth, in closed form.
//
// Letters: L depth (number of weight matrices, L >= 2); theta angle of the pair at a layer. The recursion
//   H~(1) = Sigma(1) = x.y,  Sigma(l+1) = 2 E[max(u,0) max(v,0)],  H~(l+1) = 2 H~(l) E[1(u>=0) 1(v>=0)] + Sigma(l+1)
// keeps Sigma(l)_xx = |x|^2, so everything is |x| |y| times a function of the angle:
//   2 E[max max] = |x| |y| (sin theta + (pi - theta) cos theta) / pi,   2 E[1 1] = (pi - theta) / pi   (arc-cosine kernels).
// The layers hand on 1 - cosine, from which the angle follows without loss where the cosine is near 1.
#pragma once

#include <cstddef>
#include <span>

namespace neuralts::math {

/// The last layer's two quantities. Contexts need not have unit length: both are homogeneous of degree 1 in |x|
/// and in |y|.
struct TangentKernel {
  /// H~(L): what the tangent Gram matrix g.g'/m tends to when the last layer's weights have variance 2/m.
  double tangent = 0;
  double covariance = 0;  ///< Sigma(L)
  double value() const { return (tangent + covariance) / 2; }  ///< H of the paper
};

/// REQUIRES 0 <= angle <= pi, depth >= 2. Contexts in different blocks: angle = pi / 2.
TangentKernel tangent_kernel_at(double angle, double norm_x, double norm_y, std::size_t depth);

/// H from an inner product and two norms; 0 when a norm is 0. A cosine beyond +-1 (rounding) counts as +-1. A
/// rounding error e of the cosine costs sqrt(2e) in the angle at the ends; where that matters, take the angle
/// from the vectors themselves.
double tangent_kernel(double dot, double norm_x, double norm_y, std::size_t depth);

/// The angle of two vectors, accurate at both ends: 2 atan2(|a - b|, |a + b|) for the normalised pair. 0 when a
/// norm is 0.
double angle_between(std::span<const double> x, double norm_x, std::span<const double> y, double norm_y);
double angle_of_cosine(double cosine);

}  // namespace neuralts::math
