#include "math/propensity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <numeric>

#include "golden.hpp"
#include "math/normal_panel.hpp"
#include "neuralts/random.hpp"

namespace neuralts::math {
namespace {

using Numbers = std::vector<double>;

Numbers propensity(const Numbers& mean, const Numbers& sigma) {
  Scratch scratch;
  Numbers probability(mean.size());
  thompson_propensity(mean, sigma, scratch, probability);
  return probability;
}

template <class T>
T cdf(T z) {
  return std::erfc(-z / std::numbers::sqrt2_v<T>) / 2;
}
template <class T>
T pdf(T z) {
  return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi_v<T>);
}

// The definition, slowly: thirty nodes between every two of the points mean_j + i sigma_j, all widths > 0. In
// long double, for x - mean_j has few digits left of a double when sigma_j is tiny.
// `stride`: only every stride-th arm gives points, which is enough when the widths are alike.
Numbers naive(const Numbers& mean, const Numbers& sigma, std::size_t stride = 1) {
  using Real = long double;
  using Rule = boost::math::quadrature::gauss<Real, 30>;
  const std::size_t K = mean.size();
  std::vector<Real> points;
  Real bottom = -1e300L, top = -1e300L;
  for (std::size_t j = 0; j < K; ++j) {
    bottom = std::max<Real>(bottom, mean[j] - 9 * Real(sigma[j]));
    top = std::max<Real>(top, mean[j] + 9 * Real(sigma[j]));
    for (int i = -9; j % stride == 0 && i <= 9; ++i) points.push_back(mean[j] + i * Real(sigma[j]));
  }
  points.push_back(bottom);
  points.push_back(top);
  std::sort(points.begin(), points.end());
  Numbers probability(K);
  std::vector<Real> log_cdf(K);
  for (std::size_t n = 0; n + 1 < points.size(); ++n) {
    if (points[n] < bottom) continue;
    const Real middle = (points[n] + points[n + 1]) / 2, half = (points[n + 1] - points[n]) / 2;
    const auto add = [&](Real x, Real weight) {
      Real sum = 0;
      for (std::size_t j = 0; j < K; ++j) sum += log_cdf[j] = std::log(cdf((x - mean[j]) / sigma[j]));
      for (std::size_t k = 0; k < K; ++k)
        probability[k] += double(weight * half * pdf((x - mean[k]) / sigma[k]) / sigma[k] *
                                 std::exp(sum - log_cdf[k]));
    };
    for (std::size_t i = 0; i < Rule::abscissa().size(); ++i) {
      add(middle - half * Rule::abscissa()[i], Rule::weights()[i]);
      add(middle + half * Rule::abscissa()[i], Rule::weights()[i]);
    }
  }
  return probability;
}

void expect_near(const Numbers& got, const Numbers& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], expected[k], tolerance) << what << ", arm " << k;
  EXPECT_NEAR(std::accumulate(got.begin(), got.end(), 0.0), 1, 1e-12) << what;
}

TEST(Propensity, CdfOfThePanelsIsTheNormalCdf) {
  for (double z = -14; z <= 14; z += 0.0101) EXPECT_NEAR(panel_cdf(z) / cdf(z), 1, 1e-11) << z;
}

TEST(Propensity, GoldenCases) {
  const auto golden = golden_file("thompson_propensity.json");
  for (const auto& c : golden["cases"])
    expect_near(propensity(c["mean"], c["sigma"]), c["propensity"], 1e-8, c.dump());
}

TEST(Propensity, AgreesWithTheNaiveIntegral) {
  Stream stream(1, Purpose::theory);
  for (const std::size_t K : {3, 4, 7, 10, 30})
    for (const double decades : {0.0, 1.0, 3.0, 12.0})
      for (const double spread : {0.0, 0.1, 1.0}) {
        Numbers mean(K), sigma(K);
        for (double& value : mean) value = spread * stream.normal();
        for (double& value : sigma) value = std::pow(10.0, -decades * stream.uniform());
        expect_near(propensity(mean, sigma), naive(mean, sigma), 1e-8, nlohmann::json({mean, sigma}).dump());
      }
}

TEST(Propensity, AgreesWithTheNaiveIntegralForAThousandArms) {
  Stream stream(2, Purpose::theory);
  for (const double spread : {0.0, 1.0}) {
    Numbers mean(1000), sigma(1000);
    for (double& value : mean) value = spread * stream.normal();
    for (double& value : sigma) value = 0.5 + stream.uniform();
    expect_near(propensity(mean, sigma), naive(mean, sigma, 333), 1e-9, "a thousand arms");
  }
}

// The largest of many draws is far sharper than each of them: K - 1 arms alike and one that stands out, of which the
// definition is a single integral.
TEST(Propensity, OneArmBesideACrowd) {
  using Rule = boost::math::quadrature::gauss<double, 30>;
  for (const std::size_t crowd : {9, 31, 63, 299, 999, 9999})
    for (const double sigma : {0.3, 1.0, 3.0})
      for (double mean = 0; mean < 5; mean += 0.5) {
        double expected = 0;
        constexpr int pieces = 200;
        for (int i = 0; i < pieces; ++i) {
          const double low = -10 + 20.0 * i / pieces, high = -10 + 20.0 * (i + 1) / pieces;  // in sigmas
          expected += Rule::integrate(
              [&](double z) { return pdf(z) * std::pow(cdf(mean + sigma * z), static_cast<double>(crowd)); }, low, high);
        }
        Numbers means(crowd + 1, 0), sigmas(crowd + 1, 1);
        means.back() = mean, sigmas.back() = sigma;
        EXPECT_NEAR(propensity(means, sigmas).back(), expected, std::max(1e-8, 2e-12 * static_cast<double>(crowd)))
            << crowd << " arms, " << mean << " +- " << sigma;
      }
}

TEST(Propensity, ScaleAndShiftChangeNothing) {
  const Numbers mean = {0.1, 0.2, 0.15, -0.3}, sigma = {0.2, 0.1, 0.3, 0.9};
  const Numbers expected = propensity(mean, sigma);
  for (const double scale : {1e-250, 1e-12, 1e12, 1e250}) {
    Numbers m = mean, s = sigma;
    for (double& value : m) value *= scale;
    for (double& value : s) value *= scale;
    expect_near(propensity(m, s), expected, 1e-12, "scaled");
  }
}

// Widths of 1e-12 around means of 1: only exact differences keep the digits. The means differ by multiples of
// 2^-40.
TEST(Propensity, TinyWidthsAroundLargeMeans) {
  const double unit = 0x1p-40;
  const Numbers expected = propensity({0, 1, 2, 1.5}, {1, 1, 0.5, 2});
  expect_near(propensity({1, 1 + unit, 1 + 2 * unit, 1 + 1.5 * unit}, {unit, unit, 0.5 * unit, 2 * unit}),
              expected, 1e-9, "tiny");
}

struct Certain {
  const char* what;
  Numbers mean, sigma, expected;
};

TEST(Propensity, PointsAndTies) {
  const double p = cdf(1.0);
  const Certain cases[] = {
      {"one arm", {3}, {1}, {1}},
      {"one point", {3}, {0}, {1}},
      {"two points", {3, 4}, {0, 0}, {0, 1}},
      {"two equal points", {4, 4}, {0, 0}, {0.5, 0.5}},
      {"three points, two of them largest", {4, 1, 4}, {0, 0, 0}, {0.5, 0, 0.5}},
      {"a point against a draw", {1, 0}, {0, 1}, {p, 1 - p}},
      {"equal points against a draw, a lower point", {1, 0, 1, 0.5}, {0, 1, 0, 0}, {p / 2, 1 - p, p / 2, 0}},
      {"a point against two draws", {1, 0, 0}, {0, 1, 1}, {p * p, (1 - p * p) / 2, (1 - p * p) / 2}},
      {"a hopeless point", {-50, 0, 0}, {0, 1, 1}, {0, 0.5, 0.5}},
      {"a hopeless draw", {-50, 0, 0}, {1, 1, 1}, {0, 0.5, 0.5}},
      {"a point nobody reaches", {50, 0, 0}, {0, 1, 1}, {1, 0, 0}},
      {"almost a point against a draw", {1, 0, -9}, {1e-12, 1, 1}, {p, 1 - p, 0}},
      {"subnormal width", {1, 0, -9}, {1e-310, 1, 1}, {p, 1 - p, 0}},
      {"equal arms of tiny width", {7, 7, 7}, {1e-12, 1e-12, 1e-12}, {1. / 3, 1. / 3, 1. / 3}},
      {"a draw, one of no width beside it, a point", {0, 0, 0}, {1, 1e-20, 0}, {0.5, 0.25, 0.25}},
  };
  for (const auto& c : cases) expect_near(propensity(c.mean, c.sigma), c.expected, 1e-9, c.what);
}

// However narrow two arms are beside a wide one: it wins when it lies above them, and they share the rest.
TEST(Propensity, NarrowArmsAreNotPassedOver) {
  for (double sigma = 1; sigma > 1e-307; sigma *= 0.1) {
    const double tie = sigma == 1 ? 1. / 3 : sigma > 1e-9 ? -1 : 0.25;
    const Numbers got = propensity({0, 0, 0}, {1, sigma, sigma});
    EXPECT_NEAR(got[1], got[2], 1e-12) << sigma;
    if (tie > 0) {
      EXPECT_NEAR(got[1], tie, 1e-8) << sigma;
    }
    EXPECT_GE(got[1], 0.25 - 1e-9) << sigma;
  }
}

TEST(Propensity, EqualArmsShareEvenly) {
  for (const std::size_t K : {1, 2, 3, 17, 1000})
    expect_near(propensity(Numbers(K, 0.3), Numbers(K, 2)), Numbers(K, 1.0 / double(K)), 1e-9, "equal");
}

}  // namespace
}  // namespace neuralts::math
