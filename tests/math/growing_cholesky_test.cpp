#include "math/growing_cholesky.hpp"

#include <gmock/gmock.h>

#include <Eigen/Dense>

#include "math/naive.hpp"
#include "math/simd.hpp"

namespace neuralts::math {
namespace {

using Matrix = Eigen::MatrixXd;

// lambda I + X X' of n rows of r standard normals; every `repeat`-th row is an old one again, exactly.
Matrix gram(std::size_t n, std::size_t r, double lambda, std::size_t repeat = 0) {
  const auto numbers = naive::normals<double>(n * r, 17);
  Matrix x = Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(numbers.data(), Eigen::Index(n),
                                                                              Eigen::Index(r));
  if (repeat != 0)
    for (std::size_t i = repeat; i < n; i += repeat) x.row(Eigen::Index(i)) = x.row(Eigen::Index(i / 2));
  return lambda * Matrix::Identity(Eigen::Index(n), Eigen::Index(n)) + x * x.transpose();
}

// Grows the factor row by row, as a posterior does. Returns how many pivots were lifted.
template <class T>
std::size_t grow(GrowingCholesky<T>& factor, const Matrix& a, double floor, std::size_t to) {
  std::size_t lifted = 0;
  for (std::size_t n = factor.size(); n < to; ++n) {
    std::vector<T> z(n + 1);
    for (std::size_t j = 0; j < n; ++j) z[j] = T(a(Eigen::Index(n), Eigen::Index(j)));
    factor.solve(1, z.data(), n);
    lifted += factor.append(z.data(),
                            a(Eigen::Index(n), Eigen::Index(n)) - double(dot(n, z.data(), z.data())), floor);
  }
  return lifted;
}

template <class T>
std::size_t grow_block(GrowingCholesky<T>& factor, const Matrix& a, double floor, std::size_t B) {
  const std::size_t n = factor.size(), ldz = n + 3;
  std::vector<T> z(B * ldz);
  std::vector<double> self(B * B);
  for (std::size_t b = 0; b < B; ++b) {
    for (std::size_t j = 0; j < n; ++j) z[b * ldz + j] = T(a(Eigen::Index(n + b), Eigen::Index(j)));
    for (std::size_t j = 0; j <= b; ++j) self[b * B + j] = a(Eigen::Index(n + b), Eigen::Index(n + j));
  }
  factor.solve(B, z.data(), ldz);
  return factor.append_block(B, z.data(), ldz, self.data(), floor);
}

template <class T>
Matrix dense(const GrowingCholesky<T>& factor) {
  const auto n = Eigen::Index(factor.size());
  Matrix l = Matrix::Zero(n, n);
  const auto packed = factor.packed();
  for (Eigen::Index i = 0, at = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) l(i, j) = double(packed[std::size_t(at++)]);
  return l;
}

template <class T>
class Growing : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Growing, Reals);

template <class T>
constexpr double close = sizeof(T) == 4 ? 1e-4 : 1e-12;

TYPED_TEST(Growing, RowByRowIsTheFactorOfTheWhole) {
  const Matrix a = gram(150, 200, 10);
  GrowingCholesky<TypeParam> factor;
  for (const std::size_t n : {0, 1, 2, 3, 4, 5, 63, 64, 65, 128, 150}) {
    ASSERT_EQ(grow(factor, a, 10, n), 0u);
    const auto corner = a.topLeftCorner(Eigen::Index(n), Eigen::Index(n));
    const Matrix l = corner.llt().matrixL();
    ASSERT_LE((dense(factor) - l).norm(), close<TypeParam> * (1 + l.norm())) << n;
    ASSERT_NEAR(factor.log_det(), 2 * l.diagonal().array().log().sum(),
                close<TypeParam> * (1 + std::abs(factor.log_det())));
  }
}

TYPED_TEST(Growing, BlocksOfRowsGiveTheSameFactor) {
  const Matrix a = gram(170, 200, 10);
  GrowingCholesky<TypeParam> rows, blocks;
  grow(rows, a, 10, 170);
  for (const std::size_t B : {1, 3, 0, 60, 1, 40, 65}) ASSERT_EQ(grow_block(blocks, a, 10, B), 0u);
  ASSERT_EQ(blocks.size(), 170u);
  EXPECT_LE((dense(rows) - dense(blocks)).norm(), close<TypeParam> * dense(rows).norm());
  EXPECT_NEAR(rows.log_det(), blocks.log_det(), close<TypeParam> * std::abs(rows.log_det()));
}

TYPED_TEST(Growing, SolvesAnyNumberOfRightSides) {
  const Matrix a = gram(140, 150, 20);
  GrowingCholesky<TypeParam> factor;
  grow(factor, a, 20, 140);
  for (const std::size_t k : {0, 1, 2, 3, 4, 7, 8, 9, 33, 70}) {
    const std::size_t ldz = 145;
    const auto numbers = naive::normals<TypeParam>(k * ldz, 3);
    auto z = numbers;
    factor.solve(k, z.data(), ldz);
    for (std::size_t r = 0; r < k; ++r) {
      Eigen::VectorXd right(140), found(140);
      for (Eigen::Index i = 0; i < 140; ++i)
        right(i) = double(numbers[r * ldz + std::size_t(i)]), found(i) = double(z[r * ldz + std::size_t(i)]);
      const Eigen::VectorXd expected = dense(factor).template triangularView<Eigen::Lower>().solve(right);
      ASSERT_LE((found - expected).norm(), close<TypeParam> * (1 + expected.norm())) << k << " " << r;
      for (std::size_t i = 140; i < ldz; ++i)
        ASSERT_EQ(z[r * ldz + i], numbers[r * ldz + i]) << "touched beyond the vector";
    }
  }
}

TYPED_TEST(Growing, SolvesTheTranspose) {
  const Matrix a = gram(131, 150, 20);
  GrowingCholesky<TypeParam> factor;
  for (const std::size_t n : {0, 1, 2, 5, 64, 67, 131}) {
    grow(factor, a, 20, n);
    const auto numbers = naive::normals<TypeParam>(n, 3);
    auto x = numbers;
    factor.solve_transposed(x.data());
    for (std::size_t j = 0; j < n; ++j) {  // L' x == numbers
      double sum = 0;
      const Matrix l = dense(factor);
      for (std::size_t i = j; i < n; ++i) sum += l(Eigen::Index(i), Eigen::Index(j)) * double(x[i]);
      ASSERT_NEAR(sum, double(numbers[j]), 10 * close<TypeParam>) << n << " " << j;
    }
  }
}

// 2,000 rounds of 40 distinct directions, a third of them exact repetitions: the Gram matrix has rank 40, so
// all but 40 pivots are lambda up to rounding. Refactorising A from scratch must give the same widths as
// growing it.
TEST(GrowingCholesky, SmallLambdaAndExactRepetitionsStayAtTheRefactorisedSolution) {
  for (const double lambda : {1.0, 1e-2, 1e-5}) {
    const Matrix a = gram(2000, 40, lambda, 3);
    GrowingCholesky<double> factor;
    std::size_t lifted = 0;
    while (factor.size() < 2000) lifted += grow_block(factor, a, lambda, 50);
    const Eigen::LLT<Matrix> whole(a);
    ASSERT_EQ(whole.info(), Eigen::Success);
    const Eigen::VectorXd right = a.col(7);
    std::vector<double> z(right.data(), right.data() + right.size());
    factor.solve(1, z.data(), z.size());
    const double explained = dot(z.size(), z.data(), z.data()), expected = right.dot(whole.solve(right));
    // e_7'A e_7 = a_77: solving loses at most (condition number x eps) of it.
    EXPECT_NEAR(explained, expected, 1e-8 * expected) << lambda;
    EXPECT_NEAR(explained, a(7, 7), 1e-8 * a(7, 7)) << lambda;
    // A lifted pivot moves log det by what rounding took from it: |X|^2 eps / lambda each.
    EXPECT_NEAR(factor.log_det(), 2 * Matrix(whole.matrixL()).diagonal().array().log().sum(),
                2000 * 2000 * 40 * 2.2e-16 / lambda)
        << lambda;
  }
}

TEST(GrowingCholesky, APivotBelowTheFloorIsLifted) {
  GrowingCholesky<double> factor;
  EXPECT_FALSE(factor.append(nullptr, 4, 0.25));
  const double z = 1;
  EXPECT_TRUE(factor.append(&z, 0.2, 0.25));
  EXPECT_TRUE(factor.append(std::vector<double>{1, 1}.data(), -1e-9, 0.25));
  EXPECT_TRUE(factor.append(std::vector<double>{1, 1, 1}.data(), std::nan(""), 0.25));
  EXPECT_THAT(factor.packed(), testing::ElementsAre(2, 1, 0.5, 1, 1, 0.5, 1, 1, 1, 0.5));
}

TYPED_TEST(Growing, RestoredContinuesBitForBit) {
  const Matrix a = gram(140, 150, 0.1);
  GrowingCholesky<TypeParam> factor, again;
  grow(factor, a, 0.1, 100);
  grow(again, a, 0.1, 3);  // what was there is forgotten
  again.restore(factor.size(), factor.packed());
  grow(factor, a, 0.1, 140);
  grow(again, a, 0.1, 140);
  EXPECT_EQ(factor.packed(), again.packed());
  EXPECT_EQ(factor.log_det(), again.log_det());
  EXPECT_EQ(factor.memory(), again.memory());
  again.clear();
  EXPECT_EQ(again.size(), 0u);
  EXPECT_EQ(again.log_det(), 0);
}

}  // namespace
}  // namespace neuralts::math
