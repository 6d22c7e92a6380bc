#include "math/upper_panels.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "math/every_target.hpp"
#include "math/naive.hpp"

namespace neuralts::math {
namespace {

/// By the definition, in double precision.
double naive_square(std::size_t n, const float* m, const double* x) {
  double square = 0;
  for (std::size_t j = 0; j < n; ++j) {
    double z = 0;
    for (std::size_t k = 0; k <= j; ++k) z += x[k] * static_cast<double>(m[k * n + j]);
    square += z * z;
  }
  return square;
}

// A sum of n products and one of n squares, each number rounded to 2^-24: relative to the sum of the numbers'
// sizes, which is some sqrt(n) of the sum itself, at most 2 n 2^-24; for n = 231 that is 4e-4 at the very worst,
// and by chance, as errors add, some 1e-6. What lies below the diagonal must not count.
TEST(UpperPanels, SquaresAreThoseOfTheDefinition) {
  with_every_target([] {
    for (const std::size_t n : {1, 2, 15, 16, 17, 31, 32, 33, 48, 66, 231})
      for (const std::size_t count : {0, 1, 2, 3, 7, 9, 10, 11, 16, 23}) {
        const auto m = naive::normals<float>(n * n, 5);
        const auto x = naive::normals<double>(count * n, 6);
        const UpperPanels panels(n, m.data());
        std::vector<float> working(panels.working_size());
        std::vector<double> squares(count);
        panels.squares(count, x.data(), working, squares.data());
        for (std::size_t i = 0; i < count; ++i) {
          const double expected = naive_square(n, m.data(), x.data() + i * n);
          EXPECT_NEAR(squares[i], expected, 1e-5 * expected) << n << ", " << i << " of " << count;
        }
      }
  });
}

TEST(UpperPanels, AVectorHasTheSameSquareAmongOthers) {
  with_every_target([] {
    const std::size_t n = 66, count = 13;
    const auto m = naive::normals<float>(n * n, 7);
    const auto x = naive::normals<double>(count * n, 8);
    const UpperPanels panels(n, m.data());
    std::vector<float> working(panels.working_size());
    std::vector<double> together(count);
    panels.squares(count, x.data(), working, together.data());
    for (std::size_t i = 0; i < count; ++i) {
      double alone = 0;
      panels.squares(1, x.data() + i * n, working, &alone);
      EXPECT_EQ(alone, together[i]);
    }
  });
}

}  // namespace
}  // namespace neuralts::math
