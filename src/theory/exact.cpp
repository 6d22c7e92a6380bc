#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "theory/part.hpp"

namespace neuralts::theory {

namespace {

using Matrix = Eigen::MatrixXd;
using InPlaceCholesky = Eigen::LLT<Eigen::Ref<Matrix>>;

// A pivot of the factor below this share of the diagonal is rounding: H is singular as far as doubles can tell.
constexpr double singular = 1e-14;
constexpr double relative_jitter = 1e-10;

void report(const Question& question, const char* stage) {
  if (question.progress) question.progress(stage);
}

// The pivots of one Cholesky factor give the log determinants of all leading minors.
void answer_log_dets(Matrix& work, const Question& question, Answer& answer) {
  work /= question.lambda;
  work.diagonal().array() += 1;
  const InPlaceCholesky cholesky(work);
  const Eigen::VectorXd logs = 2 * work.diagonal().array().log();
  for (const auto end : question.ends) answer.log_det.push_back(logs.head(end).sum());
  answer.log_det_error.assign(question.ends.size(), 0);
}

bool factorise(const KernelMatrix& matrix, double jitter, std::size_t threads, Matrix& work) {
  matrix.fill_lower(work, threads);
  work.diagonal().array() += jitter;
  const double largest = work.diagonal().maxCoeff();
  const InPlaceCholesky cholesky(work);
  return cholesky.info() == Eigen::Success && work.diagonal().minCoeff() > std::sqrt(singular * largest);
}

void answer_energy(const KernelMatrix& matrix, const Question& question, Matrix& work, Answer& answer) {
  if (question.rewards.cols() == 0) return;
  if (!factorise(matrix, 0, question.threads, work)) {
    double largest = 0;
    for (Eigen::Index i = 0; i < matrix.size(); ++i) largest = std::max(largest, matrix.entry(i, i));
    answer.jitter = relative_jitter * largest;
    factorise(matrix, answer.jitter, question.threads, work);
  }
  answer.energy = work.triangularView<Eigen::Lower>().solve(question.rewards).squaredNorm();
}

// Eigenvalues alone: the tridiagonal form keeps a copy of the matrix, whose own memory is given up as soon as
// it is made.
void answer_spectrum(Matrix& work, Answer& answer) {
  const auto n = work.rows();
  Eigen::VectorXd diagonal = work.diagonal(), below(std::max<Eigen::Index>(n - 1, 0));
  if (n > 1) {
    const Eigen::Tridiagonalization<Matrix> form(work);
    work.resize(0, 0);
    diagonal = form.diagonal();
    below = form.subDiagonal();
  }
  Eigen::SelfAdjointEigenSolver<Matrix> solver;
  solver.computeFromTridiagonal(diagonal, below, Eigen::EigenvaluesOnly);
  const auto& values = solver.eigenvalues();
  answer.eigenvalues.assign(values.data(), values.data() + n);
  std::reverse(answer.eigenvalues.begin(), answer.eigenvalues.end());
  answer.smallest = answer.eigenvalues.back();
}

}  // namespace

Answer solve_exactly(const KernelMatrix& matrix, const Question& question) {
  Answer answer;
  Matrix work(matrix.size(), matrix.size());
  report(question, "kernel matrix and its log determinant");
  work.triangularView<Eigen::StrictlyUpper>().setZero();
  matrix.fill_lower(work, question.threads);
  answer_log_dets(work, question, answer);
  report(question, "norm of the reward");
  answer_energy(matrix, question, work, answer);
  report(question, "spectrum");
  matrix.fill_lower(work, question.threads);
  answer_spectrum(work, answer);
  return answer;
}

}  // namespace neuralts::theory
