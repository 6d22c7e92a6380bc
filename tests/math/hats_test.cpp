#include "math/hats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "math/naive.hpp"

namespace neuralts::math {
namespace {

// max(0, 1 - distance in cells), place by place.
template <class T>
std::vector<double> naive_hats(const std::vector<T>& x, std::size_t places, double reach, double height) {
  std::vector<double> out;
  for (const T xi : x) out.push_back(static_cast<double>(xi));
  out.push_back(1);
  const double cell = 2 * reach / static_cast<double>(places - 1);
  for (const T xi : x)
    for (std::size_t place = 0; place < places; ++place) {
      const double at = std::clamp(static_cast<double>(xi), -reach, reach),
                   there = -reach + cell * static_cast<double>(place);
      out.push_back(height * std::max(0.0, 1 - std::abs(at - there) / cell));
    }
  return out;
}

template <class T>
void expect_definition() {
  for (const std::size_t d : {0, 1, 3, 8})
    for (const std::size_t places : {2, 3, 17}) {
      auto x = naive::normals<T>(d, 9);
      if (d == 3) x = {-2, 2, 1e9};
      if (d == 8) x[2] = 0;
      std::vector<double> out(hats_length(d, places) + 1, -7);
      hats(d, x.data(), places, 2, 1.5, out.data());
      EXPECT_EQ(out.back(), -7) << "written beyond the end";
      out.pop_back();
      const auto expected = naive_hats(x, places, 2, 1.5);
      ASSERT_EQ(out.size(), expected.size());
      for (std::size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], expected[i], 1e-12) << d << " " << places << " " << i;
    }
}

TEST(Hats, AreTheDefinition) {
  expect_definition<float>();
  expect_definition<double>();
}

}  // namespace
}  // namespace neuralts::math
