// The numbers of one part of the kernel matrix: exactly, or bracketed by a sketch when it is too large to
// factorise.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "neuralts/theory.hpp"
#include "theory/kernel_matrix.hpp"

namespace neuralts::theory {

struct Question {
  double lambda = 1;
  std::vector<Eigen::Index> ends;  ///< log det is wanted of the leading ends[i] x ends[i] minors
  Eigen::MatrixXd rewards;         ///< columns r whose energy sum r' M^-1 r is wanted; may have none
  std::size_t threads = 0, sketch_rank = 0;
  Progress progress;
};

struct Answer {
  std::vector<double> log_det;        ///< log det(I + M / lambda), one per end
  std::vector<double> log_det_error;  ///< the truth is within +- this
  std::vector<double> eigenvalues;    ///< largest first; with a sketch the leading ones, from below
  double smallest = 0;                ///< eigenvalue; with a sketch from above
  double energy = 0;                  ///< with a sketch from below
  double jitter = 0;                  ///< what M's diagonal was raised by for the energy
};

/// One size() x size() matrix of memory, used three times over.
Answer solve_exactly(const KernelMatrix& matrix, const Question& question);

/// Partial Cholesky with the largest residual as pivot: M = F F' + E with F of `sketch_rank` columns and E
/// positive semi-definite. log det(I + FF'/lambda) <= log det(I + M/lambda) <= log det(I + FF'/lambda) + sum_i
/// log(1 + E_ii/lambda): the determinant of a sum is at most the product, and a determinant at most the product
/// of its diagonal (Hadamard). The smallest eigenvalue of the pivots' own matrix is at least M's, their
/// rewards' energy at most that of all.
Answer solve_by_sketch(const KernelMatrix& matrix, const Question& question);

}  // namespace neuralts::theory
