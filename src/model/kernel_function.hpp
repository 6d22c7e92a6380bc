// Kernels of two contexts: slices of R^D, equal blocks or different ones.
//
// Letters: l length scale, L depth. Contexts in different blocks have inner product 0 and distance sqrt(|x|^2 +
// |y|^2).
#pragma once

#include <cstddef>
#include <span>

namespace neuralts {

struct KernelFunction {
  enum class Kind {
    laplacian,  // exp(-|x - y| / l)
    rbf,        // exp(-|x - y|^2 / (2 l^2))
    ntk,        // the tangent kernel H of an infinitely wide network of depth L
  };
  Kind kind = Kind::laplacian;
  double length = 1;
  std::size_t depth = 2;

  /// Two contexts in the same block, and their norms.
  double same_block(std::span<const double> x, double norm_x, std::span<const double> y, double norm_y) const;
  /// Two contexts in different blocks: only the norms matter.
  double other_block(double norm_x, double norm_y) const;
  /// A context with itself.
  double self(double norm) const;
};

double norm(std::span<const double> x);

}  // namespace neuralts
