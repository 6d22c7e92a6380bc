#include "math/layers.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "math/every_target.hpp"
#include "math/naive.hpp"

namespace neuralts::math {
namespace {

template <class T>
class Layers : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Layers, Reals);

// Normals, every fifth of them 0: the edge where a unit counts as inactive.
template <class T>
std::vector<T> with_zeros(std::size_t count, std::uint64_t seed) {
  auto v = naive::normals<T>(count, seed);
  for (std::size_t i = 0; i < count; i += 5) v[i] = 0;
  return v;
}

TYPED_TEST(Layers, RectifyAddsTheBiasAndCutsAtZero) {
  with_every_target([] {
    for (const std::size_t n : {0, 1, 3})
      for (const std::size_t m : {1, 7, 16, 100})
        for (const bool biased : {false, true}) {
          auto rows = with_zeros<TypeParam>(n * m + 1, 1);
          const auto before = rows, bias = naive::normals<TypeParam>(m, 2);
          rectify(n, m, biased ? bias.data() : nullptr, rows.data());
          for (std::size_t i = 0; i < n * m; ++i)
            ASSERT_EQ(rows[i], std::max(before[i] + (biased ? bias[i % m] : TypeParam(0)), TypeParam(0)))
                << n << " " << m << " " << i;
          ASSERT_EQ(rows[n * m], before[n * m]);
        }
  });
}

TYPED_TEST(Layers, SignalsPassActiveUnitsOnly) {
  with_every_target([] {
    for (const std::size_t n : {0, 1, 3})
      for (const std::size_t m : {1, 7, 16, 100})
        for (const bool weighted : {false, true}) {
          const auto active = with_zeros<TypeParam>(n * m, 1), weights = naive::normals<TypeParam>(n, 2),
                     last = naive::normals<TypeParam>(m, 3);
          std::vector<TypeParam> signals(n * m + 1, 7);
          send_back(n, m, weighted ? weights.data() : nullptr, TypeParam(2), last.data(), active.data(),
                    signals.data());
          for (std::size_t i = 0; i < n * m; ++i) {
            const TypeParam expected = (weighted ? weights[i / m] * 2 : TypeParam(2)) * last[i % m];
            ASSERT_EQ(signals[i], active[i] > 0 ? expected : 0) << n << " " << m << " " << i;
          }
          auto kept = naive::normals<TypeParam>(n * m, 4);
          const auto before = kept;
          keep_active(n * m, active.data(), kept.data());
          for (std::size_t i = 0; i < n * m; ++i) ASSERT_EQ(kept[i], active[i] > 0 ? before[i] : 0);
          ASSERT_EQ(signals[n * m], 7);
        }
  });
}

TYPED_TEST(Layers, WeightedSquaresAreTheNaiveSums) {
  with_every_target([] {
    for (const std::size_t n : {0, 1, 5})
      for (const std::size_t m : {1, 7, 16, 100})
        for (const int form : {1, 2, 3}) {
          const auto rows = with_zeros<TypeParam>(n * m, 1), weights = naive::normals<TypeParam>(n * m, 2),
                     shared = naive::normals<TypeParam>(m, 3);
          std::vector<TypeParam> out(n + 1, 7);
          add_weighted_squares(n, m, TypeParam(2), rows.data(), (form & 1) != 0 ? weights.data() : nullptr,
                               (form & 2) != 0 ? shared.data() : nullptr, out.data());
          for (std::size_t i = 0; i < n; ++i) {
            double sum = 7, size = 7;
            for (std::size_t j = 0; j < m; ++j) {
              const double weight = ((form & 1) != 0 ? weights[i * m + j] : 0) + ((form & 2) != 0 ? shared[j] : 0);
              sum += 2.0 * rows[i * m + j] * rows[i * m + j] * weight;
              size += 2.0 * rows[i * m + j] * rows[i * m + j] * std::abs(weight);
            }
            // m + 3 roundings of a sum of that size at most.
            ASSERT_NEAR(out[i], sum, double(m + 3) * std::numeric_limits<TypeParam>::epsilon() * size)
                << n << " " << m << " " << form;
          }
          ASSERT_EQ(out[n], 7);
        }
  });
}

}  // namespace
}  // namespace neuralts::math
