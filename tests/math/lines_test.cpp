#include "math/lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "math/every_target.hpp"
#include "math/naive.hpp"

namespace neuralts::math {
namespace {

TEST(Lines, TheHighestIsTheLargestValue) {
  with_every_target([] {
    for (const std::size_t n : {1, 2, 7, 8, 9, 16, 100})
      for (const double t : {-4.0, 0.0, 1.5}) {
        const auto height = naive::normals<double>(n, n), slope = naive::normals<double>(n, n + 1);
        const std::size_t found = highest_at(height, slope, t);
        for (std::size_t i = 0; i < n; ++i)
          EXPECT_LE(height[i] + slope[i] * t, height[found] + slope[found] * t + 1e-14) << n << " " << t;
      }
  });
}

TEST(Lines, ThoseThatReachALevelAreKeptInOrder) {
  with_every_target([] {
    for (const std::size_t n : {1, 7, 8, 9, 100}) {
      const auto height = naive::normals<double>(n, n), slope = naive::normals<double>(n, n + 1);
      const std::vector<double> t{-2, 0, 3}, level{3, 1.2, 4};
      std::vector<std::uint32_t> kept(n), expected;
      for (std::size_t i = 0; i < n; ++i)
        if (height[i] - 2 * slope[i] >= 3 || height[i] >= 1.2 || height[i] + 3 * slope[i] >= 4)
          expected.push_back(std::uint32_t(i));
      kept.resize(lines_reaching(height, slope, t, level, kept));
      EXPECT_EQ(kept, expected) << n;
    }
  });
}

}  // namespace
}  // namespace neuralts::math
