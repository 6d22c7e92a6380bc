#include "math/rotation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "math/every_target.hpp"
#include "math/naive.hpp"

namespace neuralts::math {
namespace {

std::vector<double> packed_identity(std::size_t n, double diagonal) {
  std::vector<double> rows(n * (n + 1) / 2);
  for (std::size_t k = 0, at = 0; k < n; at += n - k++) rows[at] = diagonal;
  return rows;
}

/// (R'R)(i, j)
double product(std::size_t n, const std::vector<double>& rows, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t k = 0, at = 0; k <= std::min(i, j); at += n - k++) sum += rows[at + i - k] * rows[at + j - k];
  return sum;
}

TEST(Rotation, TakesVectorsIn) {
  with_every_target([] {
    for (const std::size_t n : {1, 2, 3, 4, 5, 8, 21, 66})
      for (const std::size_t count : {0, 1, 3, 4, 5, 8, 21}) {
        const std::size_t ldx = n + 2;
        auto rows = packed_identity(n, 2), x = naive::normals<double>(count * ldx, 5);
        const auto given = x;
        take_in_rows(n, rows.data(), count, x.data(), ldx);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = i; j < n; ++j) {
            double expected = i == j ? 4 : 0;
            for (std::size_t v = 0; v < count; ++v) expected += given[v * ldx + i] * given[v * ldx + j];
            EXPECT_NEAR(product(n, rows, i, j), expected, 1e-12 * (4 + static_cast<double>(count)))
                << n << " x " << count;
          }
      }
  });
}

// Together is one after the other but for rounding, also where vectors begin with zeros or are nothing else.
TEST(Rotation, TogetherIsOneAfterTheOther) {
  with_every_target([] {
    for (const std::size_t n : {5, 21, 66}) {
      auto x = naive::normals<double>(15 * n, 6);
      for (std::size_t v = 0; v < 15; ++v)
        for (std::size_t i = 0; i < (v == 9 ? n : n / 2); ++i) x[v * n + i] = 0;
      auto one = x, together = packed_identity(n, 1), one_by_one = together;
      take_in_rows(n, together.data(), 15, x.data(), n);
      for (std::size_t v = 0; v < 15; ++v) take_in(n, one_by_one.data(), one.data() + v * n, v % 2 == 0);
      for (std::size_t i = 0; i < together.size(); ++i) EXPECT_NEAR(together[i], one_by_one[i], 1e-12);
    }
  });
}

TEST(Rotation, CarefulWhereSquaresOverflow) {
  std::vector<double> rows = {1e200, 0, 1e-200}, x = {1e200, 1e-200};
  take_in(2, rows.data(), x.data(), true);
  EXPECT_NEAR(rows[0] / std::sqrt(2) / 1e200, 1, 1e-15);
  EXPECT_TRUE(std::isfinite(rows[1]));
  EXPECT_NEAR(rows[2] / 1e-200, std::sqrt(1.5), 1e-12);
}

}  // namespace
}  // namespace neuralts::math
