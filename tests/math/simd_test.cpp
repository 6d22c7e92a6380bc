#include "math/simd.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "math/every_target.hpp"
#include "math/naive.hpp"

namespace neuralts::math {
namespace {

// Summing n products of standard normals one by one, the sum after k terms is of size sqrt(k) and rounds by 0.3
// eps of that, so the error has standard deviation 0.3 eps sqrt(1 + 2 + ... + n) = 0.2 n eps; 10 of them cover
// the worst of thousands.
template <class T>
double tolerance(std::size_t n) {
  return 2 * std::numeric_limits<T>::epsilon() * (double(n) + 8);
}

template <class T>
class Simd : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Simd, Reals);

template <class T>
void expect_gemm_is_naive(std::size_t M, std::size_t N, std::size_t K, bool transposed, T beta) {
  SCOPED_TRACE(testing::Message() << M << " x " << N << " x " << K << " transposed " << transposed << " beta "
                                  << beta);
  const std::size_t lda = (transposed ? M : K) + 3, ldb = N + 5, ldc = N + 2;
  const auto a = naive::normals<T>((transposed ? K : M) * lda, 1), b = naive::normals<T>(K * ldb, 2);
  auto fast = naive::normals<T>(M * ldc, 3), slow = fast;
  const std::size_t row = transposed ? 1 : lda, col = transposed ? lda : 1;
  gemm<T>(M, N, K, a.data(), row, col, b.data(), ldb, beta, fast.data(), ldc);
  naive::gemm<T>(M, N, K, a.data(), row, col, b.data(), ldb, beta, slow.data(), ldc);
  // The gaps between rows, too.
  for (std::size_t i = 0; i < fast.size(); ++i) ASSERT_NEAR(fast[i], slow[i], tolerance<T>(K)) << i;
}

TYPED_TEST(Simd, GemmIsTheNaiveProduct) {
  with_every_target([] {
    for (const std::size_t M : {0, 1, 2, 3, 7, 8, 13})
      for (const std::size_t N : {0, 1, 3, 4, 7, 8, 15, 16, 17, 33, 48, 49, 100, 150})
        for (const std::size_t K : {0, 1, 5, 22})
          for (const bool transposed : {false, true})
            for (const TypeParam beta : {TypeParam(0), TypeParam(1)})
              expect_gemm_is_naive<TypeParam>(M, N, K, transposed, beta);
  });
}

TYPED_TEST(Simd, GemmCutsLongSums) {
  with_every_target([] {
    for (const std::size_t K : {127, 128, 129, 257, 784, 1030})
      for (const std::size_t M : {1, 9})
        expect_gemm_is_naive<TypeParam>(M, 35, K, K % 2 == 0, TypeParam(K % 3 == 0));
  });
}

TYPED_TEST(Simd, GemmWithoutBetaDoesNotReadTheOutput) {
  with_every_target([] {
    const std::vector<TypeParam> a(6, 1), b(12, 2);
    std::vector<TypeParam> c(8, std::numeric_limits<TypeParam>::quiet_NaN());
    gemm<TypeParam>(2, 4, 3, a.data(), 3, 1, b.data(), 4, 0, c.data(), 4);
    EXPECT_THAT(c, testing::Each(TypeParam(6)));
  });
}

TYPED_TEST(Simd, DotsAreAllInnerProducts) {
  with_every_target([] {
    for (const std::size_t M : {0, 1, 3, 4, 5, 11})
      for (const std::size_t N : {0, 1, 2, 3, 4, 9})
        for (const std::size_t K : {0, 1, 5, 16, 37, 2100}) {
          const std::size_t lda = K + 1, ldb = K + 3, ldc = N + 2;
          const auto a = naive::normals<TypeParam>(M * lda, 1), b = naive::normals<TypeParam>(N * ldb, 2);
          auto c = naive::normals<TypeParam>(M * ldc, 3);
          const auto before = c;
          dots(M, N, K, a.data(), lda, b.data(), ldb, c.data(), ldc);
          for (std::size_t i = 0; i < M; ++i)
            for (std::size_t j = 0; j < ldc; ++j)
              ASSERT_NEAR(c[i * ldc + j],
                          j < N ? naive::dot(K, &a[i * lda], &b[j * ldb]) : double(before[i * ldc + j]),
                          tolerance<TypeParam>(K))
                  << M << " " << N << " " << K << " at " << i << " " << j;
        }
  });
}

TYPED_TEST(Simd, SumsAreTheNaiveSums) {
  with_every_target([] {
    for (std::size_t n = 0; n < 150; ++n) {
      const auto x = naive::normals<TypeParam>(n, 4), y = naive::normals<TypeParam>(n, 5);
      ASSERT_NEAR(dot(n, x.data(), y.data()), naive::dot(n, x.data(), y.data()), tolerance<TypeParam>(n)) << n;
      auto fast = naive::normals<TypeParam>(n + 1, 6);
      const auto before = fast;
      axpy(n, TypeParam(0.5), x.data(), fast.data());
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_NEAR(fast[i], before[i] + TypeParam(0.5) * x[i], tolerance<TypeParam>(1));
      ASSERT_EQ(fast[n], before[n]);
    }
  });
}

TYPED_TEST(Simd, BilinearSkipsRowsOfWeightZero) {
  with_every_target([] {
    for (const std::size_t rows : {0, 1, 5, 100})
      for (const std::size_t cols : {0, 1, 22, 67, 100}) {
        const std::size_t ldu = cols + 1;
        auto row = naive::normals<TypeParam>(rows, 7), col = naive::normals<TypeParam>(cols, 8),
             u = naive::normals<TypeParam>(rows * ldu, 9);
        double expected = 0;
        for (std::size_t i = 0; i < rows; ++i) {
          if (i % 3 == 1) {
            row[i] = 0;
            std::fill_n(&u[i * ldu], ldu, std::numeric_limits<TypeParam>::quiet_NaN());
            continue;
          }
          expected += double(row[i]) * naive::dot(cols, col.data(), &u[i * ldu]);
        }
        ASSERT_NEAR(bilinear(rows, cols, row.data(), col.data(), u.data(), ldu), expected,
                    tolerance<TypeParam>(rows * cols))
            << rows << " " << cols;
      }
  });
}

TYPED_TEST(Simd, DistancesOfATileAreSumsOfSquares) {
  using T = TypeParam;
  with_every_target([] {
    for (const std::size_t cols : {1, 2, 20, 67}) {
      const auto x = naive::normals<T>(cols, 10), tile = naive::normals<T>(cols * tile_height, 11);
      std::array<T, tile_height> out;
      tile_distances(cols, x.data(), tile.data(), T(0), out.data());
      for (std::size_t r = 0; r < tile_height; ++r) {
        double expected = 0;
        for (std::size_t c = 0; c < cols; ++c) expected += std::pow(double(x[c]) - double(tile[c * tile_height + r]), 2);
        ASSERT_NEAR(out[r], expected, 4 * tolerance<T>(cols) * double(cols));
      }
      const T nearest = *std::min_element(out.begin(), out.end());
      EXPECT_FALSE(tile_distances(cols, x.data(), tile.data(), nearest, out.data()));
      EXPECT_TRUE(tile_distances(cols, x.data(), tile.data(), std::nextafter(nearest, T(1e9)), out.data()));
    }
  });
}

TYPED_TEST(Simd, AdamFollowsItsFormula) {
  using T = TypeParam;
  with_every_target([] {
    const T step = T(0.01), beta1 = T(0.9), beta2 = T(0.99), eps = T(1e-3), decay = T(0.1);
    for (const bool anchored : {false, true})
      for (const std::size_t n : {0, 1, 7, 16, 53}) {
        auto theta = naive::normals<T>(n + 1, 1), m1 = naive::normals<T>(n + 1, 2),
             m2 = naive::normals<T>(n + 1, 3);
        for (auto& x : m2) x *= x;
        const auto grad = naive::normals<T>(n, 4), anchor = naive::normals<T>(n, 5);
        const auto theta0 = theta, first0 = m1, second0 = m2;
        adam_step(n, theta.data(), grad.data(), m1.data(), m2.data(), step, beta1, beta2, eps, decay,
                  anchored ? anchor.data() : nullptr);
        for (std::size_t i = 0; i < n; ++i) {
          const double g = grad[i] + decay * (theta0[i] - (anchored ? anchor[i] : T(0)));
          const double first = beta1 * first0[i] + (1 - beta1) * g,
                       second = beta2 * second0[i] + (1 - beta2) * g * g;
          ASSERT_NEAR(m1[i], first, tolerance<T>(1));
          ASSERT_NEAR(m2[i], second, tolerance<T>(1) * (1 + second));
          ASSERT_NEAR(theta[i], theta0[i] - step * first / (std::sqrt(second) + eps), tolerance<T>(1));
        }
        ASSERT_EQ(theta[n], theta0[n]);
        ASSERT_EQ(m1[n], first0[n]);
        ASSERT_EQ(m2[n], second0[n]);
      }
  });
}

TYPED_TEST(Simd, DescentAndMomentumFollowTheirFormulas) {
  using T = TypeParam;
  with_every_target([] {
    const T step = T(0.1), beta = T(0.9), decay = T(0.3);
    for (const bool anchored : {false, true})
      for (const std::size_t n : {0, 1, 7, 16, 53}) {
        auto theta = naive::normals<T>(n + 1, 1), velocity = naive::normals<T>(n + 1, 2), plain = theta;
        const auto grad = naive::normals<T>(n, 4), anchor = naive::normals<T>(n, 5);
        const auto theta0 = theta, velocity0 = velocity;
        momentum_step(n, theta.data(), grad.data(), velocity.data(), step, beta, decay,
                      anchored ? anchor.data() : nullptr);
        descent_step(n, plain.data(), grad.data(), step, decay, anchored ? anchor.data() : nullptr);
        for (std::size_t i = 0; i < n; ++i) {
          const double g = grad[i] + decay * (theta0[i] - (anchored ? anchor[i] : T(0)));
          ASSERT_NEAR(plain[i], theta0[i] - step * g, tolerance<T>(1));
          const double v = beta * velocity0[i] + g;
          ASSERT_NEAR(velocity[i], v, tolerance<T>(1));
          ASSERT_NEAR(theta[i], theta0[i] - step * v, tolerance<T>(1));
        }
        ASSERT_EQ(theta[n], theta0[n]);
        ASSERT_EQ(plain[n], theta0[n]);
        ASSERT_EQ(velocity[n], velocity0[n]);
      }
  });
}

}  // namespace
}  // namespace neuralts::math
