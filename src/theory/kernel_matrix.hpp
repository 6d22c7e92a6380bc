// The tangent kernel matrix, or an independent part of it, filled tile by tile.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "neuralts/theory.hpp"
#include "theory/context_set.hpp"

namespace neuralts::theory {

/// A symmetric positive semi-definite matrix M_ij = kernel(x_i, x_j) + shift |x_i| |x_j| over some contexts of
/// a set. A view: the set must outlive it.
class KernelMatrix {
 public:
  KernelMatrix(const ContextSet& set, std::vector<std::uint32_t> members, std::size_t depth, double shift = 0,
               Kernel kernel = Kernel::paper);

  Eigen::Index size() const { return static_cast<Eigen::Index>(members_.size()); }
  double entry(Eigen::Index i, Eigen::Index j) const;
  /// The lower triangle, diagonal included; what stands above it is left alone. REQUIRES out of size() x size().
  void fill_lower(Eigen::Ref<Eigen::MatrixXd> out, std::size_t threads) const;
  /// The same matrix over fewer contexts, given by their places here.
  KernelMatrix restrict_to(const std::vector<Eigen::Index>& places) const;

 private:
  struct Tile;
  void fill_tile(const Tile& tile, Eigen::Ref<Eigen::MatrixXd> out) const;
  double entry(std::uint32_t a, std::uint32_t b, double dot) const;

  const ContextSet* set_;
  std::vector<std::uint32_t> members_;
  std::size_t depth_;
  double shift_, orthogonal_;
  Kernel kernel_;
};

/// H is, up to a change of basis, block diagonal: `copies` times `matrix` for every part.
struct Part {
  KernelMatrix matrix;
  std::size_t copies;
};

/// One part for contexts in general. When K arms see the same x, each in its own block, pairs of different
/// blocks all have the angle pi / 2, so that H = I_K (x) (A - c nn') + 11' (x) c nn' with n the norms and c the
/// kernel at pi / 2: K - 1 copies of A - c nn' (differences between arms) and one of A + (K - 1) c nn' (their
/// mean), each T x T.
std::vector<Part> split(const Walk& walk, std::size_t depth);

}  // namespace neuralts::theory
