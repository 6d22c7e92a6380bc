#include "math/columns.hpp"

#include <gmock/gmock.h>

#include "math/every_target.hpp"
#include "math/naive.hpp"

namespace neuralts::math {
namespace {

template <class T>
class ColumnsOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ColumnsOf, Reals);

template <class T>
constexpr double close = sizeof(T) == 4 ? 2e-4 : 1e-12;

TYPED_TEST(ColumnsOf, EliminateTakesOffEveryColumnsShare) {
  with_every_target([] {
    for (const std::size_t J : {0, 1, 3, 8, 13})
      for (const std::size_t B : {0, 1, 2, 3, 4, 7})
        for (const std::size_t n : {0, 1, 16, 37}) {
          const std::size_t ldl = n + 1, ldv = n + 2;
          const auto l = naive::normals<TypeParam>(J * ldl, 1), y = naive::normals<TypeParam>(B * J, 2);
          auto v = naive::normals<TypeParam>(B * ldv, 3), slow = v;
          for (std::size_t b = 0; b < B; ++b)
            for (std::size_t j = 0; j < J; ++j)
              for (std::size_t i = 0; i < n; ++i) slow[b * ldv + i] -= y[b * J + j] * l[j * ldl + i];
          eliminate<TypeParam>({n, J, l.data(), ldl}, B, y.data(), v.data(), ldv);
          for (std::size_t i = 0; i < v.size(); ++i) ASSERT_NEAR(v[i], slow[i], close<TypeParam>) << J << " " << B << " " << n;
        }
  });
}

TYPED_TEST(ColumnsOf, MultiplyGoesFromTheLastColumnToTheFirst) {
  with_every_target([] {
    for (const std::size_t J : {0, 1, 5})
      for (std::size_t B = 0; B <= most_factors; ++B)
        for (const std::size_t n : {0, 1, 16, 37}) {
          const std::size_t ldl = n + 1, lds = n + 2;
          const auto scale = naive::normals<TypeParam>(J, 1), p = naive::normals<TypeParam>(J * B, 2), w = naive::normals<TypeParam>(J * B, 3);
          auto l = naive::normals<TypeParam>(J * ldl, 4), s = naive::normals<TypeParam>(B * lds, 5), slow_l = l, slow_s = s;
          for (std::size_t j = J; j-- > 0;)
            for (std::size_t i = 0; i < n; ++i) {
              const TypeParam old = slow_l[j * ldl + i];
              TypeParam next = scale[j] * old;
              for (std::size_t b = 0; b < B; ++b) {
                next += p[j * B + b] * slow_s[b * lds + i];
                slow_s[b * lds + i] += w[j * B + b] * old;
              }
              slow_l[j * ldl + i] = B == 0 ? old : next;
            }
          multiply<TypeParam>({n, J, l.data(), ldl}, B, scale.data(), p.data(), w.data(), s.data(), lds);
          for (std::size_t i = 0; i < l.size(); ++i) ASSERT_NEAR(l[i], slow_l[i], close<TypeParam> * 10) << J << " " << B << " " << n;
          for (std::size_t i = 0; i < s.size(); ++i) ASSERT_NEAR(s[i], slow_s[i], close<TypeParam> * 10) << J << " " << B << " " << n;
        }
  });
}

}  // namespace
}  // namespace neuralts::math
