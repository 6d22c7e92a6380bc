#include "math/normal_draws.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "math/every_target.hpp"

namespace neuralts::math {
namespace {

std::vector<float> draws(std::uint64_t key, std::size_t count) {
  std::vector<float> out(count);
  fill_normals(key, out);
  return out;
}

// n = 400,000 draws: the means of x, x^2, x^3, x^4 and of neighbours' products have standard deviations sqrt(1,
// 2, 15, 96, 1) / sqrt(n) around 0, 1, 0, 3, 0: five of each.
TEST(NormalDraws, HaveTheMomentsOfIndependentNormals) {
  with_every_target([] {
    const std::size_t n = 400'000;
    const auto x = draws(7, n);
    double first = 0, second = 0, third = 0, fourth = 0, neighbours = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double v = x[i];
      ASSERT_LE(std::abs(v), 5.8);
      first += v, second += v * v, third += v * v * v, fourth += v * v * v * v;
      if (i > 0) neighbours += v * x[i - 1];
    }
    const double count = n, bound = 5 / std::sqrt(count);
    EXPECT_NEAR(first / count, 0, bound);
    EXPECT_NEAR(second / count, 1, std::sqrt(2.0) * bound);
    EXPECT_NEAR(third / count, 0, std::sqrt(15.0) * bound);
    EXPECT_NEAR(fourth / count, 3, std::sqrt(96.0) * bound);
    EXPECT_NEAR(neighbours / count, 0, bound);
  });
}

// The correlation of n draws under two keys has a standard deviation of 1 / sqrt(n): five of them.
TEST(NormalDraws, OtherKeysGiveOtherDraws) {
  const std::size_t n = 100'000;
  for (const std::uint64_t other :
       {std::uint64_t{8}, std::uint64_t{7} | std::uint64_t{1} << 32, std::uint64_t{0}}) {
    const auto x = draws(7, n), y = draws(other, n);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += double(x[i]) * y[i];
    EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(double(n))) << other;
  }
}

TEST(NormalDraws, AShorterListIsTheBeginningOfALongerOne) {
  const auto all = draws(3, 100);
  for (const std::size_t n : {0, 1, 15, 16, 17, 31, 33, 99})
    EXPECT_EQ(draws(3, n), std::vector<float>(all.begin(), all.begin() + std::ptrdiff_t(n)));
}

}  // namespace
}  // namespace neuralts::math
