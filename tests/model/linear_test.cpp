#include "model/linear.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "golden.hpp"
#include "model/predict.hpp"
#include "model/trainer.hpp"

namespace neuralts {
namespace {

TEST(LinearBelief, AgreesWithTheGoldenFile) {
  const auto file = golden_file("linear.json");
  const Rows X = file["X"], query = file["query"];
  const std::vector<double> r = file["r"], mean = file["mean"], variance = file["variance"];
  LinearBelief belief({.length = X[0].size()}, file["lambda"]);
  for (std::size_t i = 0; i < X.size(); ++i) learn(belief, std::vector<Finished>{{{X[i], 0}, r[i]}});
  for (std::size_t q = 0; q < query.size(); ++q) {
    const Prediction p = predict(belief, Contexts::per_arm(query[q], 1));
    EXPECT_NEAR(p.mean[0], mean[q], 1e-8);
    EXPECT_NEAR(p.width[0] * p.width[0], variance[q], 1e-8);
  }
}

// Every history length up to 300: each learned round against a fresh solution of the normal equations.
TEST(LinearBelief, EqualsTheClosedFormForHistoriesUpTo300) {
  constexpr Eigen::Index d = 8;
  const double lambda = 0.1;
  Stream stream(5, Purpose::theory);
  LinearBelief belief({.length = d}, lambda);
  Eigen::MatrixXd A = lambda * Eigen::MatrixXd::Identity(d, d);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(d);
  for (int t = 1; t <= 300; ++t) {
    const auto x = random_numbers(stream, d), query = random_numbers(stream, 3 * d);
    const double reward = stream.normal();
    learn(belief, std::vector<Finished>{{{x, 0}, reward}});
    const Eigen::Map<const Eigen::VectorXd> row(x.data(), d);
    A += row * row.transpose();
    b += reward * row;
    const Eigen::LLT<Eigen::MatrixXd> solver(A);
    const Prediction p = predict(belief, Contexts::per_arm(query, 3));
    for (Eigen::Index k = 0; k < 3; ++k) {
      const Eigen::Map<const Eigen::VectorXd> q(query.data() + k * d, d);
      const auto at = static_cast<std::size_t>(k);
      ASSERT_NEAR(p.mean[at], q.dot(solver.solve(b)), 1e-10) << t;
      ASSERT_NEAR(p.width[at], std::sqrt(q.dot(solver.solve(q))), 1e-10) << t;
    }
  }
}

// The K small problems are the one large one: contexts padded with zeros give the same numbers.
TEST(LinearBelief, DisjointBlocksEqualTheWholeProblem) {
  const Shape shape{.length = 3, .blocks = 4};
  Stream stream(6, Purpose::theory);
  LinearBelief small(shape, 0.5), large({.length = shape.dim()}, 0.5);
  for (int t = 0; t < 60; ++t) {
    const auto x = random_numbers(stream, shape.length);
    std::vector<double> padded(shape.blocks * shape.dim());
    for (std::size_t k = 0; k < shape.blocks; ++k)
      std::copy(x.begin(), x.end(), padded.begin() + static_cast<long>(k * (shape.dim() + shape.length)));
    const auto some = Contexts::disjoint(x, shape.blocks), all = Contexts::per_arm(padded, shape.blocks);
    const Prediction p = predict(small, some), q = predict(large, all);
    for (std::size_t k = 0; k < shape.blocks; ++k) {
      EXPECT_NEAR(p.mean[k], q.mean[k], 1e-12);
      EXPECT_NEAR(p.width[k], q.width[k], 1e-12);
    }
    const std::size_t arm = stream.below(shape.blocks);
    const double reward = stream.normal();
    learn(small, std::vector<Finished>{{some[arm], reward}});
    learn(large, std::vector<Finished>{{all[arm], reward}});
  }
}

TEST(LinearBelief, JointFactorsGiveTheCovarianceOfTheArms) {
  constexpr std::size_t d = 4, arms = 3;
  Stream stream(7, Purpose::theory);
  LinearBelief belief({.length = d}, 1.0);
  for (int t = 0; t < 9; ++t) learn(belief, std::vector<Finished>{{{random_numbers(stream, d), 0}, 1.0}});
  const auto x = random_numbers(stream, arms * d);
  const Contexts contexts = Contexts::per_arm(x, arms);
  Scratch scratch;
  std::vector<double> mean(arms), width(arms), factors(arms * d);
  belief.predict_joint(contexts, scratch, mean, width, factors);
  const Prediction p = predict(belief, contexts);
  EXPECT_EQ(mean, p.mean);
  EXPECT_EQ(width, p.width);
  std::vector<double> sum(d);  // Var(x0 + x1) = |z0 + z1|^2
  double expected = 0;
  for (std::size_t i = 0; i < d; ++i) {
    sum[i] = x[i] + x[d + i];
    expected += std::pow(factors[i] + factors[d + i], 2);
  }
  EXPECT_NEAR(std::pow(predict(belief, Contexts::per_arm(sum, 1)).width[0], 2), expected, 1e-12);
}

TEST(LinearBelief, ABlockNeverPlayedHoldsNoMemory) {
  LinearBelief belief({.length = 10, .blocks = 100}, 1.0);
  EXPECT_EQ(belief.memory(), 0u);
  const std::vector<double> x(10, 0.1);
  learn(belief, std::vector<Finished>{{{x, 7}, 1.0}});
  EXPECT_EQ(belief.memory(), (55 + 10 + 10) * sizeof(double));
}

// Many contexts are projected by a product with the factor's inverse, few one by one.
TEST(LinearBelief, ManyArmsArePredictedAsOneByOne) {
  const std::size_t d = 7, arms = 50;
  LinearBelief belief({d, 1}, 0.3);
  Stream stream(11, Purpose::theory);
  std::vector<double> x(arms * d);
  for (double& value : x) value = stream.normal();
  for (std::size_t i = 0; i < 20; ++i) {
    const Finished round{{std::span<const double>(x).subspan(i * d, d)}, stream.normal()};
    belief.observe({&round, 1});
  }
  Scratch scratch;
  std::vector<double> mean(arms), width(arms);
  belief.predict(Contexts::per_arm(x, arms), scratch, mean, width);
  for (std::size_t k = 0; k < arms; ++k) {
    double one_mean = 0, one_width = 0;
    belief.predict(Contexts::per_arm(std::span<const double>(x).subspan(k * d, d), 1), scratch,
                   {&one_mean, 1}, {&one_width, 1});
    EXPECT_NEAR(mean[k], one_mean, 1e-12);
    EXPECT_NEAR(width[k], one_width, 1e-12);
  }
}

}  // namespace
}  // namespace neuralts
