// Three roads to log det(I + G / lambda) for the tangent Gram matrix G at theta_0: one Cholesky factor,
// eigenvalues, and the exact posterior, which grows round by round and knows log det U = p log lambda + log
// det(I + G / lambda).
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "model/posterior.hpp"
#include "neuralts/tangent.hpp"
#include "theory/worlds.hpp"

namespace neuralts::theory {
namespace {

using Matrix = Eigen::MatrixXd;

struct Case {
  std::size_t depth;
  bool disjoint;
};

class LogDeterminant : public testing::TestWithParam<Case> {};

TEST_P(LogDeterminant, ThreeRoadsMeetAtEveryRound) {
  const auto [depth, disjoint] = GetParam();
  const std::size_t n = 25, units = 16, seed = 3;
  const double lambda = 0.7;
  const Shape input{5, disjoint ? 2U : 1U};
  const NetworkShape shape{.input = input,
                           .units = units,
                           .depth = depth,
                           .biases = false,
                           .scale = std::sqrt(static_cast<double>(units))};
  const Network<double> network(shape, Initialisation::paired, seed);
  const auto posterior = make_exact_posterior<double>(
      {.shape = shape, .lambda = lambda, .normaliser = static_cast<double>(units)}, false);

  Stream stream(4, Purpose::theory);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < n; ++i) rows.push_back(random_unit(stream, input.length));
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < n; ++i) slices.push_back({rows[i], disjoint ? i % 2 : 0});
  const auto numbers = initial_tangent_gram(slices, {.shape = input, .units = units, .depth = depth, .seed = seed});
  const Matrix gram = Eigen::Map<const Matrix>(numbers.data(), n, n);

  const double prior = static_cast<double>(shape.parameters()) * std::log(lambda);
  for (std::size_t t = 1; t <= n; ++t) {
    std::vector<double> inputs(shape.hidden() * units), signals(inputs.size()), f(1);
    const auto block = static_cast<std::uint32_t>(slices[t - 1].block);
    const Batch<double> batch{1, rows[t - 1].data(), input.length, &block};
    network.forward(batch, inputs.data(), f.data());
    network.backward(1, inputs.data(), nullptr, signals.data());
    posterior->grow({batch, inputs.data(), signals.data()});

    const auto at = static_cast<Eigen::Index>(t);
    const Matrix inflated = Matrix::Identity(at, at) + gram.topLeftCorner(at, at) / lambda;
    const double by_cholesky = 2 * inflated.llt().matrixLLT().diagonal().array().log().sum();
    const double by_eigenvalues = inflated.selfadjointView<Eigen::Lower>().eigenvalues().array().log().sum();
    EXPECT_NEAR(by_cholesky, by_eigenvalues, 1e-10);
    EXPECT_NEAR(posterior->log_det() - prior, by_cholesky, 1e-9) << "round " << t;
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, LogDeterminant,
                         testing::Values(Case{2, false}, Case{2, true}, Case{3, false}, Case{4, true}));

}  // namespace
}  // namespace neuralts::theory
