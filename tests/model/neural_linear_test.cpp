#include "model/neural_linear.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "model/predict.hpp"
#include "model/trainer.hpp"

namespace neuralts {
namespace {

const Shape shape{.length = 4, .blocks = 2};
constexpr double lambda = 0.3;

FitSettings small_fit(std::size_t depth, bool standardise) {
  FitSettings fit;
  fit.shape = {.input = shape, .units = 8, .depth = depth, .biases = true, .scale = std::sqrt(8.0)};
  fit.trainer.iterations = 10;
  fit.trainer.decay = 1;
  fit.standardise = {.inputs = standardise, .rewards = standardise};
  EXPECT_TRUE(Schedule::parse("every:6", fit.schedule));
  return fit;
}

/// The definition: the network that an ensemble of one trains, its last layer's features, the normal equations.
struct ClosedForm {
  Ensemble<double> ensemble;
  Eigen::MatrixXd A;
  Eigen::VectorXd b;

  explicit ClosedForm(const FitSettings& fit) : ensemble({.fit = fit}) {}

  Eigen::VectorXd feature(const Batch<double>& batch) const {
    const NetworkShape& network = ensemble.predictor().shape();
    std::vector<double> layers(network.hidden() * network.units);
    double f = 0;
    ensemble.predictor().network(0).forward(batch, layers.data(), &f);
    const auto m = static_cast<Eigen::Index>(network.units);
    Eigen::VectorXd phi(m + 1);
    phi << Eigen::Map<const Eigen::VectorXd>(layers.data() + layers.size() - network.units, m), 1;
    return network.scale * phi;
  }
  void solve() {
    const auto size = static_cast<Eigen::Index>(ensemble.predictor().shape().units) + 1;
    A = lambda * Eigen::MatrixXd::Identity(size, size);
    b = Eigen::VectorXd::Zero(size);
    const auto& blocks = ensemble.history().blocks();
    for (std::uint32_t k = 0; k < blocks.size(); ++k)
      for (std::size_t row = 0; row < blocks[k].rows(); ++row) {
        const Eigen::VectorXd phi = feature({1, blocks[k].x.data() + row * shape.length, shape.length, &k});
        A += phi * phi.transpose();
        b += blocks[k].rewards[row] * phi;
      }
  }
};

class NeuralLinear : public testing::TestWithParam<std::tuple<std::size_t, bool>> {};

TEST_P(NeuralLinear, EqualsTheNormalEquationsOnTheLastLayer) {
  const FitSettings fit = small_fit(std::get<0>(GetParam()), std::get<1>(GetParam()));
  NeuralLinearBelief<double> belief(fit, lambda);
  ClosedForm expected(fit);
  Stream stream(5, Purpose::environment);
  for (int t = 0; t < 40; ++t) {
    const auto x = random_numbers(stream, shape.length), query = random_numbers(stream, shape.length);
    const std::vector<Finished> round{{{x, stream.below(shape.blocks)}, stream.normal()}};
    learn(belief, round);
    learn(expected.ensemble, round);
    expected.solve();
    const Contexts contexts = Contexts::disjoint(query, shape.blocks);
    const Prediction p = predict(belief, contexts);
    const auto& standardiser = expected.ensemble.predictor().scaling();
    const Eigen::LLT<Eigen::MatrixXd> solver(expected.A);
    for (std::uint32_t k = 0; k < shape.blocks; ++k) {
      Scratch scratch;
      const Eigen::VectorXd phi = expected.feature(
          expected.ensemble.predictor().scaling().map(Contexts::disjoint(query, std::span(&k, 1)), scratch));
      ASSERT_NEAR(p.mean[k], standardiser.mean(phi.dot(solver.solve(expected.b))), 1e-8) << t;
      ASSERT_NEAR(p.width[k], standardiser.width(std::sqrt(phi.dot(solver.solve(phi)))), 1e-8) << t;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Depths, NeuralLinear, testing::Combine(testing::Values(2, 3), testing::Bool()));

}  // namespace
}  // namespace neuralts
