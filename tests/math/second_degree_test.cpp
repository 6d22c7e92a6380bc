#include "math/second_degree.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "math/every_target.hpp"
#include "math/naive.hpp"

namespace neuralts::math {
namespace {

template <class T>
std::vector<double> naive_features(const std::vector<T>& x) {
  std::vector<double> out;
  for (const T xi : x) out.push_back(std::numbers::sqrt2 * static_cast<double>(xi));
  out.push_back(1);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = i; j < x.size(); ++j) {
      const double xi = static_cast<double>(x[i]), xj = static_cast<double>(x[j]);
      out.push_back(i == j ? xi * xi : std::numbers::sqrt2 * xi * xj);
    }
  return out;
}

template <class T>
void expect_definition() {
  with_every_target([] {
    for (const std::size_t d : {0, 1, 2, 3, 7, 8, 9, 16, 20, 28}) {
      const auto x = naive::normals<T>(d, 9);
      std::vector<double> out(second_degree_length(d) + 1, -7);
      second_degree(d, x.data(), out.data());
      EXPECT_EQ(out.back(), -7) << "written beyond the end";
      out.pop_back();
      EXPECT_EQ(out, naive_features(x)) << d;
    }
  });
}

TEST(SecondDegree, IsTheDefinitionToTheLastBit) {
  expect_definition<float>();
  expect_definition<double>();
}

// phi(x).phi(y) = (1 + x.y)^2, each of some 66 terms rounded to 2^-53.
TEST(SecondDegree, ItsProductsAreTheKernel) {
  const std::size_t d = 10, q = second_degree_length(d);
  const auto x = naive::normals<double>(d, 10), y = naive::normals<double>(d, 11);
  std::vector<double> phi(q), psi(q);
  second_degree(d, x.data(), phi.data());
  second_degree(d, y.data(), psi.data());
  double inner = 1, product = 0;
  for (std::size_t i = 0; i < d; ++i) inner += x[i] * y[i];
  for (std::size_t i = 0; i < q; ++i) product += phi[i] * psi[i];
  EXPECT_NEAR(product, inner * inner, 1e-12 * (1 + inner * inner));
}

}  // namespace
}  // namespace neuralts::math
