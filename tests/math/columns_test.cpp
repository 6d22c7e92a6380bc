#include "math/columns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "math/every_target.hpp"
#include "math/naive.hpp"

namespace neuralts::math {
namespace {

template <class T>
class Columns : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Columns, Reals);

// Every third column never varied, and half of what is met there is what it was; a limit of 0 hides everything.
TYPED_TEST(Columns, AreStandardisedAsTheirDefinitionSays) {
  with_every_target([] {
    for (const double limit : {0.0, 0.4, 100.0})
      for (const std::size_t n : {0, 1, 7, 8, 9, 20, 100}) {
        const auto mean = naive::normals<double>(n, 1);
        auto x = naive::normals<double>(n, 2), scale = naive::normals<double>(n, 3);
        for (std::size_t i = 0; i < n; ++i) {
          scale[i] = i % 3 == 0 ? 0 : std::abs(scale[i]);
          if (i % 6 == 0) x[i] = mean[i];
        }
        std::vector<TypeParam> out(n + 1, 7);
        standardise(n, x.data(), mean.data(), scale.data(), limit, out.data());
        for (std::size_t i = 0; i < n; ++i) {
          const double deviation = x[i] - mean[i], unknown = deviation > 0 ? limit : deviation < 0 ? -limit : 0.0;
          const double expected = std::clamp(scale[i] > 0 ? deviation * scale[i] : unknown, -limit, limit);
          ASSERT_EQ(out[i], static_cast<TypeParam>(expected)) << n << " " << i;
        }
        ASSERT_EQ(out[n], TypeParam(7));
      }
  });
}

}  // namespace
}  // namespace neuralts::math
