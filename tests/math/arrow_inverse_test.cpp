#include "math/arrow_inverse.hpp"

#include <gmock/gmock.h>

#include <Eigen/Dense>
#include <algorithm>

#include "math/naive.hpp"

namespace neuralts::math {
namespace {

using Matrix = Eigen::MatrixXd;

// Vectors on an arrow, and the arrow as a full matrix: the definition.
template <class T>
struct Case {
  std::size_t K, b, q, group;
  double lambda;
  ArrowShape shape() const { return {K, b, q, group}; }
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

template <class T>
std::vector<double> quadratic(const ArrowInverse<T>& arrow, const std::vector<std::uint32_t>& blocks,
                              const std::vector<T>& v, std::size_t ldv) {
  std::vector<T> work(arrow.work(blocks.size()));
  std::vector<double> out(blocks.size());
  arrow.quadratic(blocks.size(), blocks.data(), v.data(), ldv, work.data(), out.data());
  return out;
}

// Vectors in panels of 1, 2, 4, ..., past two folds; after each, quadratic forms and determinant of the full
// matrix. Some groups are 0; vectors are asked about one by one and side by side.
template <class T>
void expect_dense(const Case<T>& c) {
  SCOPED_TRACE(testing::Message() << "K " << c.K << " b " << c.b << " q " << c.q << " group " << c.group
                                  << " lambda " << c.lambda);
  ArrowInverse<T> arrow(c.shape(), c.lambda);
  Matrix u = c.start();
  const std::size_t ldv = c.length() + 1;
  for (std::size_t panel = 1; panel <= 2 * arrow.batch; panel *= 2) {
    auto v = naive::normals<T>(panel * ldv, panel + 1);
    const auto where = c.blocks(panel, panel + 50);
    for (std::size_t i = 0; i < panel; ++i) {
      std::fill_n(v.begin() + std::ptrdiff_t(i * ldv), i % 2 == 0 ? std::min(c.group, c.b) : 0, T(0));
      const Eigen::VectorXd x = c.full(where[i], &v[i * ldv]);
      u += x * x.transpose();
    }
    arrow.add(panel, where.data(), v.data(), ldv);
    const Eigen::LLT<Matrix> dense(u);
    ASSERT_NEAR(arrow.log_det(), 2 * Matrix(dense.matrixL()).diagonal().array().log().sum(),
                close<T> * double(c.K * c.b + c.q + 1))
        << panel;
    const std::size_t n = 6;
    auto asked = naive::normals<T>(n * ldv, 99);
    std::fill_n(asked.begin() + std::ptrdiff_t(ldv), c.b, T(0));
    for (const auto& blocks : {c.blocks(n, 98), std::vector<std::uint32_t>(n, 0)}) {
      const auto found = quadratic(arrow, blocks, asked, ldv);
      for (std::size_t i = 0; i < n; ++i) {
        const double expected = dense.matrixL().solve(c.full(blocks[i], &asked[i * ldv])).squaredNorm();
        ASSERT_NEAR(found[i], expected, close<T> * (1 + expected)) << panel << " " << i;
      }
    }
  }
}

TYPED_TEST(Arrow, IsTheInverseOfTheFullMatrix) {
  for (const std::size_t K : {1, 2, 5})
    for (const std::size_t b : {1, 48, 70})
      for (const std::size_t q : {0, 1, 66})
        for (const std::size_t group : {7, 48, 100}) expect_dense<TypeParam>({K, b, q, group, 0.5});
}

TYPED_TEST(Arrow, ManyRoundsDoNotDrift) {
  const Case<TypeParam> c{2, 12, 5, 3, 1e-2};
  ArrowInverse<TypeParam> arrow(c.shape(), c.lambda);
  Matrix u = c.start();
  const std::vector<std::uint32_t> zero = {0};
  for (std::size_t round = 0; round < 6000; ++round) {
    const auto v = naive::normals<TypeParam>(c.length(), round % 20 + 1);  // twenty vectors, repeated exactly
    const std::uint32_t block = round % 2;
    const Eigen::VectorXd x = c.full(block, v.data());
    if (round < 20) u += 300 * x * x.transpose();
    arrow.add(1, &block, v.data(), c.length());
  }
  // A fold errs by eps relative to what M is, so that drift grows with the folds, about fifty of them.
  EXPECT_NEAR(arrow.log_det(), 2 * Matrix(u.llt().matrixL()).diagonal().array().log().sum(),
              1e-9 + 10 * close<TypeParam>);
  const auto asked = naive::normals<TypeParam>(c.length(), 77);
  const Eigen::VectorXd x = c.full(0, asked.data());
  const double expected = x.dot(u.llt().solve(x));
  EXPECT_NEAR(quadratic(arrow, zero, asked, c.length())[0], expected, 50 * close<TypeParam> * expected);
}

// A factor in float32 keeps the widths of well-known directions, where an inverse of U in float32 has lost them.
TEST(Arrow, KeepsSmallWidthsInFloat) {
  const Case<float> c{1, 40, 10, 10, 1e-4};
  ArrowInverse<float> arrow(c.shape(), c.lambda);
  Matrix u = c.start();
  const std::uint32_t zero = 0;
  for (std::size_t round = 0; round < 2000; ++round) {
    const auto v = naive::normals<float>(c.length(), round % 10 + 1);
    const Eigen::VectorXd x = c.full(0, v.data());
    u += x * x.transpose();
    arrow.add(1, &zero, v.data(), c.length());
  }
  for (std::uint64_t i = 1; i <= 10; ++i) {
    const auto v = naive::normals<float>(c.length(), i);
    const Eigen::VectorXd x = c.full(0, v.data());
    const double expected = x.dot(u.llt().solve(x));  // 1/200 of a prior of 5e5
    EXPECT_NEAR(quadratic(arrow, {0}, v, c.length())[0], expected, 0.01 * expected);
  }
}

TYPED_TEST(Arrow, UntouchedBlocksTakeNoMemory) {
  ArrowInverse<TypeParam> arrow({1000, 48, 3, 8}, 4.0);
  const std::size_t before = arrow.memory();
  EXPECT_LE(before, 48 * 3 * sizeof(TypeParam));
  const std::vector<TypeParam> v(51, 6);
  EXPECT_DOUBLE_EQ(quadratic(arrow, {999}, v, 51)[0], 51 * 9);  // I / lambda
  EXPECT_EQ(arrow.memory(), before);
  const std::vector<std::uint32_t> blocks(arrow.batch, 999);
  arrow.add(arrow.batch, blocks.data(), naive::normals<TypeParam>(arrow.batch * 51, 1).data(), 51);
  EXPECT_GE(arrow.memory() - before, 48 * (48 + 48) * sizeof(TypeParam));
  arrow.clear(1.0);
  EXPECT_EQ(arrow.memory(), before);
  EXPECT_EQ(arrow.log_det(), 0);
}

TYPED_TEST(Arrow, LoadedContinuesBitForBit) {
  const Case<TypeParam> c{3, 9, 4, 2, 0.1};
  ArrowInverse<TypeParam> arrow(c.shape(), c.lambda), again(c.shape(), 7.0);
  const std::size_t n = arrow.batch + 3, more = arrow.batch;
  arrow.add(n, c.blocks(n, 5).data(), naive::normals<TypeParam>(n * c.length(), 1).data(), c.length());
  Writer out;
  arrow.save(out);
  Reader in(out.bytes(), "test");
  again.load(in);
  EXPECT_TRUE(in.at_end());
  for (auto* one : {&arrow, &again})
    one->add(more, c.blocks(more, 6).data(), naive::normals<TypeParam>(more * c.length(), 2).data(),
             c.length());
  EXPECT_EQ(arrow.log_det(), again.log_det());
  const auto x = naive::normals<TypeParam>(2 * c.length(), 3);
  EXPECT_EQ(quadratic(arrow, {0, 2}, x, c.length()), quadratic(again, {0, 2}, x, c.length()));
  Reader cut(std::span(out.bytes()).first(out.bytes().size() - 1), "test");
  EXPECT_THROW(again.load(cut), Error);
}

}  // namespace
}  // namespace neuralts::math
