#include "model/network.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>

#include "model/random_network.hpp"
#include "neuralts/error.hpp"

namespace neuralts {
namespace {

std::vector<NetworkShape> shapes() {
  std::vector<NetworkShape> list;
  Stream stream(5, Purpose::theory);
  for (int i = 0; i < 24; ++i) {
    NetworkShape shape;
    shape.input = {1 + stream.below(7), 1 + stream.below(4)};
    shape.units = 2 * (1 + stream.below(9));
    shape.depth = 2 + stream.below(4);
    shape.biases = i % 2 == 0;
    shape.scale = i % 3 == 0 ? 1 : std::sqrt(static_cast<double>(shape.units));
    list.push_back(shape);
  }
  return list;
}

double predict(const Network<double>& network, const RandomContexts& contexts) {
  return tangent_features(network, contexts).out[0];
}

TEST(Network, GradientsEqualFiniteDifferences) {
  Stream stream(1, Purpose::theory);
  for (const auto& shape : shapes()) {
    Network<double> network = random_network(shape, stream);
    const RandomContexts contexts = random_contexts(shape.input, 1, stream);
    const auto gradient = explicit_gradients(network, contexts)[0];
    // A kink within the step would show as a large error: steps are small against the distance to the nearest one.
    constexpr double h = 1e-7;
    for (std::size_t i = 0; i < shape.parameters(); ++i) {
      const double saved = network.theta()[i];
      const auto at = [&](double value) {
        network.mutable_theta()[i] = value;
        network.refresh();
        return predict(network, contexts);
      };
      const double difference = (at(saved + h) - at(saved - h)) / (2 * h);
      at(saved);
      EXPECT_NEAR(gradient[i], difference, 1e-5 * std::max(1.0, std::abs(difference)));
    }
  }
}

TEST(Network, FactoredInnerProductsEqualThoseOfExplicitVectors) {
  Stream stream(2, Purpose::theory);
  for (const auto& shape : shapes()) {
    const Network<double> network = random_network(shape, stream);
    const RandomContexts a = random_contexts(shape.input, 5, stream), b = random_contexts(shape.input, 3, stream);
    const auto fa = tangent_features(network, a), fb = tangent_features(network, b);
    const auto ga = explicit_gradients(network, a), gb = explicit_gradients(network, b);
    std::vector<double> gram(15);
    tangent_gram(shape, fa.features, fb.features, gram.data());
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(tangent_square(shape, fa.features, i),
                  std::inner_product(ga[i].begin(), ga[i].end(), ga[i].begin(), 0.0), 1e-9);
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(gram[i * 3 + j], std::inner_product(ga[i].begin(), ga[i].end(), gb[j].begin(), 0.0), 1e-9);
    }
  }
}

TEST(Network, PairedInitialisationPredictsZero) {
  Stream stream(3, Purpose::theory);
  for (auto shape : shapes()) {
    const Network<double> network(shape, Initialisation::paired, 11);
    const RandomContexts contexts = random_contexts(shape.input, 6, stream);
    const auto owned = tangent_features(network, contexts);
    for (const double f : owned.out) EXPECT_NEAR(f, 0, 1e-12);
    EXPECT_TRUE(network.halves_cancel());
  }
}

TEST(Network, HalvesNoLongerCancelWhenOneParameterHasMoved) {
  for (const auto& shape : shapes()) {
    Network<double> network(shape, Initialisation::paired, 11);
    for (double& value : network.mutable_theta()) {
      const double saved = std::exchange(value, value + 1);
      EXPECT_FALSE(network.halves_cancel());
      value = saved;
    }
  }
}

TEST(Network, PairedInitialisationNeedsAnEvenWidth) {
  EXPECT_THROW(Network<float>({.input = {3, 1}, .units = 5}, Initialisation::paired, 1), ContractError);
}

TEST(Network, UniformInitialisationStaysWithinItsFanIn) {
  const NetworkShape shape{.input = {4, 3}, .units = 10, .depth = 3, .biases = true, .scale = 1};
  const Network<double> network(shape, Initialisation::uniform, 7);
  for (std::size_t i = 0; i < shape.parameters(); ++i)
    EXPECT_LE(std::abs(network.theta()[i]), 1 / std::sqrt(i < shape.weights(2) ? 12.0 : 10.0));
}

TEST(Network, AZeroContextHasNoGradientWithoutBiases) {
  const NetworkShape shape{.input = {4, 1}, .units = 6, .depth = 3, .biases = false, .scale = 2};
  Stream stream(4, Purpose::theory);
  const RandomContexts zero{std::vector<double>(4, 0.0), {0}, 4};
  const auto gradients = explicit_gradients(random_network(shape, stream), zero);
  for (const double g : gradients[0]) EXPECT_EQ(g, 0);
}

}  // namespace
}  // namespace neuralts
