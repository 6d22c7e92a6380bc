#include "math/rank_one_cholesky.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "neuralts/random.hpp"

namespace neuralts::math {
namespace {

Eigen::VectorXd random_vector(Stream& stream, std::size_t n) {
  return Eigen::VectorXd::NullaryExpr(static_cast<Eigen::Index>(n), [&](Eigen::Index) { return stream.normal(); });
}

TEST(RankOneCholesky, EqualsTheClosedFormAfterEveryUpdate) {
  Stream stream(1, Purpose::theory);
  for (const std::size_t n : {1, 2, 3, 7, 20, 33}) {
    RankOneCholesky factor(n, 0.3);
    Eigen::MatrixXd A = 0.3 * Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
    for (int i = 0; i < 40; ++i) {
      Eigen::VectorXd x = random_vector(stream, n);
      if (i % 5 == 0) x[0] = 0;
      A += x * x.transpose();
      factor.update(x.data());
      const Eigen::VectorXd query = random_vector(stream, n), expected = A.llt().solve(query);
      Eigen::VectorXd z = query;
      factor.solve_transposed(z.data());
      EXPECT_NEAR(z.squaredNorm(), query.dot(expected), 1e-11 * (1 + z.squaredNorm()));
      factor.solve(z.data());
      EXPECT_LT((z - expected).norm(), 1e-11 * (1 + expected.norm()));
    }
  }
}

TEST(RankOneCholesky, ContinuesFromItsPackedRows) {
  Stream stream(2, Purpose::theory);
  RankOneCholesky factor(5, 1.0), copy;
  for (int i = 0; i < 3; ++i) factor.update(random_vector(stream, 5).data());
  copy.restore(5, factor.packed());
  Eigen::VectorXd x = random_vector(stream, 5), y = x;
  factor.update(x.data());
  copy.update(y.data());
  EXPECT_EQ(factor.packed(), copy.packed());
}

}  // namespace
}  // namespace neuralts::math
