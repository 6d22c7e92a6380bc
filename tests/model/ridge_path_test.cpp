#include "model/ridge_path.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "model/predict.hpp"

namespace neuralts {
namespace {

// The line alone, from its definition: w = (lambda I + sum phi phi')^-1 sum phi r in two unknowns, phi = [x, 1].
TEST(RidgePath, ALineIsRidgeWithAnIntercept) {
  const Shape shape{1, 2};
  RidgePath line(shape, RidgePath::Basis::line);
  line.restart(0.5);
  History<double> history(shape);
  const std::vector<std::pair<double, double>> rounds = {{0.3, 1.0}, {-0.7, 0.2}, {1.1, -0.4}};
  double xx = 0.5, x1 = 0, n = 0.5, xr = 0, r1 = 0;
  for (const auto& [x, reward] : rounds) {
    history.append(1, std::span(&x, 1), reward);
    line.catch_up(history, {});
    xx += x * x, x1 += x, n += 1, xr += x * reward, r1 += reward;
  }
  const double det = xx * n - x1 * x1, slope = (xr * n - x1 * r1) / det, level = (xx * r1 - x1 * xr) / det;
  const double asked = 0.4, variance = (n * asked * asked - 2 * x1 * asked + xx) / det;
  Scratch scratch;
  double mean = 0, left = 0;
  line.ask(&asked, 1, 1, scratch, {&mean, 1}, {&left, 1});
  EXPECT_NEAR(mean, slope * asked + level, 1e-12);
  EXPECT_NEAR(left, 0.5 * variance / (asked * asked + 1), 1e-12);
  line.ask(&asked, 1, 0, scratch, {&mean, 1}, {&left, 1});
  EXPECT_EQ(mean, 0);
  EXPECT_NEAR(left, 1, 1e-12);
  EXPECT_EQ(line.plays(1), 3u);
}

// What was said of rewards beyond a line is taken from them in their own unit: a line that is told twice the rewards less
// what was said, in units of half a reward, learns what one learns of the rest alone. Others are not told.
TEST(RidgePath, LearnsWhatIsLeftOfARewardBesideWhatWasSaidBeyondALine) {
  const Shape shape{2, 1};
  RidgePath told(shape, RidgePath::Basis::line), plain(shape, RidgePath::Basis::line), deaf(shape, RidgePath::Basis::line);
  History<double> with(shape, true), rest(shape), whole(shape);
  told.restart(0.5, 2);
  plain.restart(0.5);
  deaf.restart(0.5);
  Stream stream(3, Purpose::theory);
  for (int i = 0; i < 20; ++i) {
    const auto x = random_numbers(stream, 2);
    const double beyond = stream.normal(), left = x[0] - 2 * x[1];
    with.append(0, std::span<const double>(x), left + 2 * beyond, beyond);
    rest.append(0, std::span<const double>(x), left);
    whole.append(0, std::span<const double>(x), left + 2 * beyond);
    told.catch_up(with, {});
    plain.catch_up(rest, {});
  }
  deaf.catch_up(whole, {});
  const auto x = random_numbers(stream, 2);
  const auto said = [&](const RidgePath& path) {
    Scratch scratch;
    double mean = 0;
    path.ask(x.data(), 2, 0, scratch, {&mean, 1}, {});
    return mean;
  };
  EXPECT_NEAR(said(told), said(plain), 1e-12);
  EXPECT_GT(std::abs(said(deaf) - said(plain)), 0.01);
}

// After one round (x, r) kernel ridge regression with k(x, y) = (1 + x.y)^2 believes k(x, y) r / (k(x, x) + lambda),
// and k(x, y)^2 / (k(x, x) + lambda) of the prior variance k(y, y) is gone.
TEST(RidgePath, ACurveIsRidgeOverTheSquaredKernel) {
  const Shape shape{4, 1};
  RidgePath curve(shape, RidgePath::Basis::curve);
  curve.restart(0.3);
  Stream stream(1, Purpose::environment);
  const auto x = random_numbers(stream, 4), y = random_numbers(stream, 4);
  History<double> history(shape);
  history.append(0, x, 2.5);
  curve.catch_up(history, {});
  const auto kernel = [](const auto& a, const auto& b) {
    return std::pow(std::inner_product(a.begin(), a.end(), b.begin(), 1.0), 2);
  };
  Scratch scratch;
  double mean = 0, left = 0;
  curve.ask(y.data(), 4, 0, scratch, {&mean, 1}, {&left, 1});
  const double known = kernel(x, y) / (kernel(x, x) + 0.3);
  EXPECT_NEAR(mean, known * 2.5, 1e-12);
  EXPECT_NEAR(left, 1 - known * kernel(x, y) / kernel(y, y), 1e-12);
}

// A function of one column that no line and no curve is, at numbers that are places: two deviations either side, 17 of them.
TEST(RidgePath, BendsFollowEachColumnByItself) {
  const Shape shape{2, 2};
  RidgePath bends(shape, RidgePath::Basis::bends);
  ASSERT_TRUE(bends.affordable());
  bends.restart(1e-6);
  const auto value = [](std::size_t place, std::size_t other) {
    return (place % 3 == 0 ? 1.0 : -0.5) + (other % 2 == 0 ? 0.25 : 0);
  };
  const auto at = [](std::size_t place) { return (static_cast<double>(place) / 4 - 2) / std::sqrt(2.0); };
  History<double> history(shape);
  for (std::size_t i = 0; i < 17; ++i)
    for (std::size_t j = 0; j < 17; ++j)
      if ((i + j) % 2 == 0 || i == 0) history.append(1, std::array{at(i), at(j)}, value(i, j));
  bends.catch_up(history, {});
  Scratch scratch;
  for (std::size_t i = 0; i < 17; ++i)
    for (std::size_t j = 0; j < 16; ++j) {
      const std::array x{at(i), at(j)}, between{at(i), (at(j) + at(j + 1)) / 2};
      double mean = 0;
      bends.ask(x.data(), 2, 1, scratch, {&mean, 1}, {});
      EXPECT_NEAR(mean, value(i, j), 1e-3) << i << " " << j;
      bends.ask(between.data(), 2, 1, scratch, {&mean, 1}, {});
      EXPECT_NEAR(mean, (value(i, j) + value(i, j + 1)) / 2, 1e-3) << i << " " << j;
    }
}

// A million columns have 5.5e11 products: a curve that is not kept must not ask for the memory of one round's.
TEST(RidgePath, BeyondWhatIsAffordableTakesNoMemory) {
  const Shape shape{1 << 20, 1};
  const std::vector<double> x(shape.length, 0.5);
  const Finished round{.context = {.values = x}, .reward = 1};
  History<double> history(shape);
  history.append(0, x, 1.0);
  for (const auto basis : {RidgePath::Basis::curve, RidgePath::Basis::bends}) {
    RidgePath path(shape, basis);
    ASSERT_FALSE(path.affordable());
    EXPECT_NO_THROW(path.make_room({&round, 1}));
    EXPECT_NO_THROW(path.catch_up(history, {}));
    EXPECT_EQ(path.plays(0), 1u);
  }
}

}  // namespace
}  // namespace neuralts
