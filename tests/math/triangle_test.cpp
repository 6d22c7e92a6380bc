#include "math/triangle.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "math/every_target.hpp"
#include "math/naive.hpp"
#include "math/simd.hpp"

namespace neuralts::math {
namespace {

/// A triangle whose diagonal is far enough from zero.
std::vector<double> packed_triangle(std::size_t n) {
  auto rows = naive::normals<double>(n * (n + 1) / 2, 3);
  for (std::size_t k = 0, at = 0; k < n; at += n - k++) rows[at] = 3 + std::abs(rows[at]);
  return rows;
}

/// By the definition, one column after the other, with the same operations on every number.
void naive_solve(std::size_t n, const double* row, double* z) {
  for (std::size_t k = 0; k < n; row += n - k++) {
    z[k] /= row[0];
    axpy(n - k - 1, -z[k], row + 1, z + k + 1);
  }
}

TEST(Triangle, SolvesAnyNumberOfVectorsAsItSolvesOne) {
  with_every_target([] {
    for (const std::size_t n : {1, 2, 3, 4, 5, 8, 21, 66, 231})
      for (const std::size_t count : {0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 16, 23}) {
        const std::size_t ldz = n + 3;
        const auto rows = packed_triangle(n);
        auto z = naive::normals<double>(count * ldz, 4), expected = z;
        for (std::size_t v = 0; v < count; ++v) naive_solve(n, rows.data(), expected.data() + v * ldz);
        solve_transposed(n, rows.data(), count, z.data(), ldz);
        EXPECT_EQ(z, expected) << n << " x " << count;
      }
  });
}

}  // namespace
}  // namespace neuralts::math
