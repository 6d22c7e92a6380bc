#include "math/rotation.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "math/every_target.hpp"
#include "math/naive.hpp"

namespace neuralts::math {
namespace {

TEST(Rotation, TurnsEveryPairAndNothingBeyond) {
  with_every_target([] {
    for (const std::size_t n : {0, 1, 3, 7, 8, 9, 100}) {
      auto x = naive::normals<double>(n + 1, 1), y = naive::normals<double>(n + 1, 2);
      const auto u = x, v = y;
      rotate(n, 0.6, 0.8, x.data(), y.data());
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_NEAR(x[i], 0.6 * u[i] + 0.8 * v[i], 1e-15 * (1 + std::abs(u[i]) + std::abs(v[i])));
        EXPECT_NEAR(y[i], 0.6 * v[i] - 0.8 * u[i], 1e-15 * (1 + std::abs(u[i]) + std::abs(v[i])));
      }
      EXPECT_EQ(x[n], u[n]);
      EXPECT_EQ(y[n], v[n]);
    }
  });
}

}  // namespace
}  // namespace neuralts::math
