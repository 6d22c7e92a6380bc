#include "math/arrow_cholesky.hpp"

#include <gmock/gmock.h>

#include <Eigen/Dense>

#include "math/naive.hpp"

namespace neuralts::math {
namespace {

using Matrix = Eigen::MatrixXd;

// Vectors on an arrow, and the arrow as a full matrix: the definition.
template <class T>
struct Case {
  std::size_t K, b, q;
  double lambda;
  std::size_t length() const { return b + q; }

  std::vector<std::uint32_t> blocks(std::size_t n, std::uint64_t seed) const {
    Stream stream(seed, Purpose::theory);
    std::vector<std::uint32_t> out(n);
    for (auto& k : out) k = static_cast<std::uint32_t>(stream.below(K));
    return out;
  }
  Eigen::VectorXd full(std::uint32_t block, const T* v) const {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(Eigen::Index(K * b + q));
    for (std::size_t j = 0; j < b; ++j) x(Eigen::Index(block * b + j)) = double(v[j]);
    for (std::size_t j = 0; j < q; ++j) x(Eigen::Index(K * b + j)) = double(v[b + j]);
    return x;
  }
  Matrix start() const { return lambda * Matrix::Identity(Eigen::Index(K * b + q), Eigen::Index(K * b + q)); }
};

template <class T>
class Arrow : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Arrow, Reals);

template <class T>
constexpr double close = sizeof(T) == 4 ? 2e-4 : 1e-11;

// Updates in panels of 1, 2, ... vectors, each followed by a comparison with the factor of the full matrix.
template <class T>
void expect_dense(const Case<T>& c) {
  SCOPED_TRACE(testing::Message() << "K " << c.K << " b " << c.b << " q " << c.q << " lambda " << c.lambda);
  ArrowCholesky<T> arrow(c.K, c.b, c.q, c.lambda);
  Matrix u = c.start();
  const std::size_t ldv = c.length() + 1;
  for (std::size_t panel = 0; panel < 7; ++panel) {
    auto v = naive::normals<T>(panel * ldv, panel + 1);
    const auto where = c.blocks(panel, panel + 50);
    for (std::size_t i = 0; i < panel; ++i) {
      const Eigen::VectorXd x = c.full(where[i], &v[i * ldv]);
      u += x * x.transpose();
    }
    arrow.update(panel, where.data(), v.data(), ldv);
    const Eigen::LLT<Matrix> dense(u);
    ASSERT_NEAR(arrow.log_det(), 2 * Matrix(dense.matrixL()).diagonal().array().log().sum(), close<T> * double(c.K * c.b + c.q + 1)) << panel;
    const std::size_t n = 6;
    const auto asked = naive::normals<T>(n * ldv, 99);
    const auto blocks = c.blocks(n, 98);
    auto white = asked;
    arrow.whiten(n, blocks.data(), white.data(), ldv);
    for (std::size_t i = 0; i < n; ++i) {
      const Eigen::VectorXd expected = dense.matrixL().solve(c.full(blocks[i], &asked[i * ldv]));
      ASSERT_LE((c.full(blocks[i], &white[i * ldv]) - expected).norm(), close<T> * (1 + expected.norm())) << panel << " " << i;
      ASSERT_EQ(white[i * ldv + c.length()], asked[i * ldv + c.length()]) << "touched beyond the vector";
    }
  }
}

TYPED_TEST(Arrow, IsTheFactorOfTheFullMatrix) {
  for (const std::size_t K : {1, 2, 5})
    for (const std::size_t b : {1, 3, 4, 30, 70})
      for (const std::size_t q : {0, 1, 5, 66}) expect_dense<TypeParam>({K, b, q, 0.5});
}

TYPED_TEST(Arrow, ManyUpdatesDoNotDrift) {
  const Case<TypeParam> c{2, 12, 5, 1e-2};
  ArrowCholesky<TypeParam> arrow(c.K, c.b, c.q, c.lambda);
  Matrix u = c.start();
  for (std::size_t round = 0; round < 3000; ++round) {
    auto v = naive::normals<TypeParam>(c.length(), round % 20 + 1);  // twenty vectors, repeated exactly
    const std::uint32_t block = round % 2;
    const Eigen::VectorXd x = c.full(block, v.data());
    u += x * x.transpose();
    arrow.update(1, &block, v.data(), c.length());
  }
  // The rotations drift by at most eps a round; the full matrix, of condition number 5e6, loses 1e-9 on its own.
  EXPECT_NEAR(arrow.log_det(), 2 * Matrix(u.llt().matrixL()).diagonal().array().log().sum(), 1e-9 + 10 * close<TypeParam>);
}

TYPED_TEST(Arrow, UntouchedBlocksTakeNoMemory) {
  ArrowCholesky<TypeParam> arrow(1000, 50, 3, 4.0);
  const std::size_t before = arrow.memory();
  EXPECT_LE(before, 10 * 3 * sizeof(TypeParam));
  std::vector<TypeParam> v(53, 6);
  const std::uint32_t block = 999;
  arrow.whiten(1, &block, v.data(), 53);
  EXPECT_THAT(v, testing::Each(TypeParam(3)));  // sqrt(lambda) I
  EXPECT_EQ(arrow.memory(), before);
  arrow.update(1, &block, v.data(), 53);
  EXPECT_EQ(arrow.memory() - before, 50 * 53 * sizeof(TypeParam));
  arrow.clear(1.0);
  EXPECT_EQ(arrow.memory(), before);
  EXPECT_EQ(arrow.log_det(), 0);
}

TYPED_TEST(Arrow, LoadedContinuesBitForBit) {
  const Case<TypeParam> c{3, 9, 4, 0.1};
  ArrowCholesky<TypeParam> arrow(c.K, c.b, c.q, c.lambda), again(c.K, c.b, c.q, 7.0);
  const std::vector<std::uint32_t> first = {2, 0, 2}, second = {0, 2};
  auto v = naive::normals<TypeParam>(3 * c.length(), 1);
  arrow.update(3, first.data(), v.data(), c.length());
  Writer out;
  arrow.save(out);
  Reader in(out.bytes(), "test");
  again.load(in);
  EXPECT_TRUE(in.at_end());
  for (auto* one : {&arrow, &again}) {
    auto w = naive::normals<TypeParam>(2 * c.length(), 2);
    one->update(2, second.data(), w.data(), c.length());
  }
  EXPECT_EQ(arrow.log_det(), again.log_det());
  auto x = naive::normals<TypeParam>(2 * c.length(), 3), y = x;
  arrow.whiten(2, second.data(), x.data(), c.length());
  again.whiten(2, second.data(), y.data(), c.length());
  EXPECT_EQ(x, y);
  Reader cut(std::span(out.bytes()).first(out.bytes().size() - 1), "test");
  EXPECT_THROW(again.load(cut), Error);
}

}  // namespace
}  // namespace neuralts::math
