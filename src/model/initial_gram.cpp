#include <algorithm>
#include <cmath>

#include "model/network.hpp"
#include "neuralts/error.hpp"
#include "neuralts/tangent.hpp"

namespace neuralts {

namespace {

Network<double> make_network(const TangentGramSpec& spec) {
  const NetworkShape shape{.input = spec.shape, .units = spec.units, .depth = spec.depth, .biases = false,
                           .scale = std::sqrt(static_cast<double>(spec.units))};
  Network<double> network(shape, Initialisation::paired, spec.seed);
  const double published_variance = 2;
  for (double& weight : network.mutable_theta().subspan(shape.weights(shape.depth), shape.units))
    weight *= std::sqrt(spec.output_variance / published_variance);
  network.refresh();
  return network;
}

}  // namespace

std::vector<double> initial_tangent_gram(std::span<const Slice> contexts, const TangentGramSpec& spec) {
  if (spec.depth < 2)
    throw ContractError("a network has at least two weight matrices, not " + std::to_string(spec.depth));
  const std::size_t n = contexts.size(), d = spec.shape.length;
  const Network<double> network = make_network(spec);
  std::vector<double> x(n * d), f(n), inputs(n * network.shape().hidden() * spec.units),
      signals(inputs.size()), gram(n * n);
  std::vector<std::uint32_t> blocks(n);
  for (std::size_t i = 0; i < n; ++i) {
    check_slice(contexts[i], spec.shape);
    std::copy(contexts[i].values.begin(), contexts[i].values.end(), x.begin() + static_cast<std::ptrdiff_t>(i * d));
    blocks[i] = static_cast<std::uint32_t>(contexts[i].block);
  }
  const Batch<double> batch{n, x.data(), d, blocks.data()};
  network.forward(batch, inputs.data(), f.data());
  network.backward(n, inputs.data(), nullptr, signals.data());
  const Features<double> features{batch, inputs.data(), signals.data()};
  tangent_gram(network.shape(), features, features, gram.data());
  for (double& value : gram) value /= static_cast<double>(spec.units);
  return gram;
}

}  // namespace neuralts
