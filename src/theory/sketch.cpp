#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "theory/part.hpp"

namespace neuralts::theory {

namespace {

using Matrix = Eigen::MatrixXd;
constexpr Eigen::Index chunk = 4096;

// M = F F' + E; E's diagonal is `residual`.
struct Sketch {
  Matrix factor;
  Eigen::VectorXd residual;
  std::vector<Eigen::Index> pivots;
};

// The pivot's column of M, less what F explains of it already, over the root of its residual.
void add_column(const KernelMatrix& matrix, Eigen::Index pivot, Eigen::Index at, std::size_t threads,
                Sketch& sketch) {
  const double root = std::sqrt(sketch.residual[pivot]);
  const auto n = matrix.size(), chunks = (n + chunk - 1) / chunk;
  parallel_for(static_cast<std::size_t>(chunks), threads, [&](std::size_t c) {
    const Eigen::Index first = static_cast<Eigen::Index>(c) * chunk, count = std::min(chunk, n - first);
    Eigen::VectorXd column(count);
    for (Eigen::Index i = 0; i < count; ++i) column[i] = matrix.entry(first + i, pivot);
    column.noalias() -= sketch.factor.block(first, 0, count, at) * sketch.factor.row(pivot).head(at).transpose();
    sketch.factor.col(at).segment(first, count) = column / root;
  });
  sketch.residual = (sketch.residual.array() - sketch.factor.col(at).array().square()).max(0);
  sketch.residual[pivot] = 0;
}

Sketch make_sketch(const KernelMatrix& matrix, const Question& question) {
  const auto n = matrix.size(), rank = std::min(static_cast<Eigen::Index>(question.sketch_rank), n);
  Sketch sketch{Matrix(n, rank), Eigen::VectorXd(n), {}};
  for (Eigen::Index i = 0; i < n; ++i) sketch.residual[i] = matrix.entry(i, i);
  const double negligible = 1e-13 * sketch.residual.maxCoeff();
  for (Eigen::Index at = 0; at < rank; ++at) {
    Eigen::Index pivot = 0;
    if (sketch.residual.maxCoeff(&pivot) <= negligible) break;
    add_column(matrix, pivot, at, question.threads, sketch);
    sketch.pivots.push_back(pivot);
  }
  sketch.factor.conservativeResize(n, static_cast<Eigen::Index>(sketch.pivots.size()));
  return sketch;
}

// log det(I + F_t F_t' / lambda) = log det(I + F_t' F_t / lambda), a small matrix that grows by the rows
// between two ends. Half of what E may add goes into the value, half into the error. Returns F'F.
Matrix answer_log_dets(const Sketch& sketch, const Question& question, Answer& answer) {
  const auto rank = sketch.factor.cols();
  Matrix gram = Matrix::Zero(rank, rank);
  Eigen::Index done = 0;
  double slack = 0;
  for (const auto end : question.ends) {
    gram.selfadjointView<Eigen::Lower>().rankUpdate(sketch.factor.middleRows(done, end - done).transpose());
    slack += (sketch.residual.segment(done, end - done).array() / question.lambda).log1p().sum();
    done = end;
    const Eigen::LLT<Matrix> cholesky(gram / question.lambda + Matrix::Identity(rank, rank));
    answer.log_det.push_back(2 * cholesky.matrixLLT().diagonal().array().log().sum() + slack / 2);
    answer.log_det_error.push_back(slack / 2);
  }
  return gram;
}

void answer_from_pivots(const KernelMatrix& matrix, const Sketch& sketch, const Question& question,
                        Answer& answer) {
  Question of_pivots{.lambda = question.lambda, .ends = {}, .rewards = Matrix(static_cast<Eigen::Index>(sketch.pivots.size()), question.rewards.cols()),
                     .threads = question.threads, .sketch_rank = 0, .progress = {}};
  for (std::size_t i = 0; i < sketch.pivots.size() && question.rewards.cols() > 0; ++i)
    of_pivots.rewards.row(static_cast<Eigen::Index>(i)) = question.rewards.row(sketch.pivots[i]);
  const Answer exact = solve_exactly(matrix.restrict_to(sketch.pivots), of_pivots);
  answer.smallest = exact.smallest;
  answer.energy = exact.energy;
  answer.jitter = exact.jitter;
}

}  // namespace

Answer solve_by_sketch(const KernelMatrix& matrix, const Question& question) {
  Answer answer;
  if (question.progress) question.progress("sketch of the kernel matrix");
  const Sketch sketch = make_sketch(matrix, question);
  const Matrix gram = answer_log_dets(sketch, question, answer);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(gram, Eigen::EigenvaluesOnly);
  const auto& values = solver.eigenvalues();
  answer.eigenvalues.assign(values.data(), values.data() + values.size());
  std::reverse(answer.eigenvalues.begin(), answer.eigenvalues.end());
  answer_from_pivots(matrix, sketch, question, answer);
  return answer;
}

}  // namespace neuralts::theory
