#include "math/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "neuralts/error.hpp"

namespace neuralts::math {
namespace {

const std::vector<double> a{5.1, 4.9, 6.2, 5.7, 5.5}, b{4.1, 5.0, 4.8, 4.4, 4.7};

TEST(Statistics, DescribesASample) {
  const Sample sample = describe(a);
  EXPECT_EQ(sample.n, 5U);
  EXPECT_NEAR(sample.mean, 5.48, 1e-12);
  EXPECT_NEAR(sample.sd, 0.51185936, 1e-8);
  EXPECT_NEAR(sample.se, 0.22891046, 1e-8);
}

TEST(Statistics, SmallSamplesHaveNoSpread) {
  EXPECT_EQ(describe({}).n, 0U);
  const std::vector<double> one{3};
  EXPECT_EQ(describe(one).sd, 0);
  EXPECT_EQ(half_width(describe(one), 0.9), 0);
}

// t with 4 degrees of freedom has its 95 % point at 2.131846786 (any table).
TEST(Statistics, HalfWidthIsStudents) {
  EXPECT_NEAR(half_width(describe(a), 0.9), 2.131846786 * describe(a).se, 1e-8);
}

// Welch by hand: t = d / sqrt(va + vb), df = (va + vb)^2 / (va^2/4 + vb^2/4); the p of |t| on df from the
// distribution's definition is checked by the two limits below and by symmetry.
TEST(Statistics, WelchMatchesItsFormula) {
  const Sample sa = describe(a), sb = describe(b);
  const TTest test = welch_test(sa, sb);
  const double va = sa.sd * sa.sd / 5, vb = sb.sd * sb.sd / 5;
  EXPECT_NEAR(test.difference, 0.88, 1e-12);
  EXPECT_NEAR(test.t, 0.88 / std::sqrt(va + vb), 1e-12);
  EXPECT_NEAR(test.df, (va + vb) * (va + vb) / (va * va / 4 + vb * vb / 4), 1e-9);
  EXPECT_GT(test.p, 0.01);
  EXPECT_LT(test.p, 0.05);
  EXPECT_DOUBLE_EQ(welch_test(sb, sa).p, test.p);
  EXPECT_DOUBLE_EQ(welch_test(sb, sa).difference, -test.difference);
}

// With one degree of freedom Student's t is Cauchy's: p = 1 - 2 atan(|t|) / pi.
TEST(Statistics, PairedTestOnTwoPairsIsCauchy) {
  const std::vector<double> x{1, 4}, y{0, 1};
  const TTest test = paired_test(x, y);
  EXPECT_DOUBLE_EQ(test.t, 2);
  EXPECT_NEAR(test.p, 1 - 2 * std::atan(2.) / 3.14159265358979323846, 1e-12);
}

TEST(Statistics, PairingSeesWhatSpreadHides) {
  const std::vector<double> x{10, 20, 30, 40.5}, y{9, 19, 29, 39};
  EXPECT_LT(paired_test(x, y).p, 0.01);
  EXPECT_GT(welch_test(describe(x), describe(y)).p, 0.5);
}

TEST(Statistics, ConstantSamplesDifferSurelyOrNotAtAll) {
  const std::vector<double> two{2, 2}, three{3, 3};
  EXPECT_EQ(welch_test(describe(two), describe(three)).p, 0);
  EXPECT_EQ(welch_test(describe(two), describe(two)).p, 1);
  EXPECT_EQ(paired_test(two, three).p, 0);
}

TEST(Statistics, OneValueProvesNothing) {
  const std::vector<double> one{2}, other{5};
  EXPECT_EQ(welch_test(describe(one), describe(other)).p, 1);
  EXPECT_EQ(paired_test(one, other).p, 1);
  EXPECT_THROW(paired_test(one, a), ContractError);
}

}  // namespace
}  // namespace neuralts::math
