// The finite network seen as a kernel: its tangent Gram matrix at initialisation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "neuralts/context.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

struct TangentGramSpec {
  Shape shape;
  std::size_t units = 100;     ///< m, even
  std::size_t depth = 2;       ///< L
  std::uint64_t seed = 1;      ///< of the initialisation
  /// Of the last layer's weights, times m. Algorithm 1 has 2; with 1 the Gram matrix tends to the paper's H.
  double output_variance = 2;
};

/// g(x_i).g(x_j) / m at theta_0 of the published network and initialisation, row-major n x n, in double precision.
/// Throws ContractError for an odd number of units, a depth below 2 or contexts that do not fit the shape.
std::vector<double> initial_tangent_gram(std::span<const Slice> contexts, const TangentGramSpec& spec);

}  // namespace neuralts
#pragma GCC visibility pop
