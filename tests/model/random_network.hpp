// Random networks and contexts, and the p-vector g written out: what the factored features stand for.
#pragma once

#include <cmath>
#include <vector>

#include "model/network.hpp"

namespace neuralts {

struct RandomContexts {
  std::vector<double> x;
  std::vector<std::uint32_t> blocks;
  std::size_t d;
  Batch<double> batch() const { return {blocks.size(), x.data(), d, blocks.data()}; }
};

inline RandomContexts random_contexts(const Shape& shape, std::size_t n, Stream& stream) {
  RandomContexts contexts{std::vector<double>(n * shape.length), std::vector<std::uint32_t>(n), shape.length};
  for (double& value : contexts.x) value = stream.normal() / std::sqrt(static_cast<double>(shape.length));
  for (auto& block : contexts.blocks) block = static_cast<std::uint32_t>(stream.below(shape.blocks));
  return contexts;
}

inline Network<double> random_network(const NetworkShape& shape, Stream& stream) {
  std::vector<double> theta(shape.parameters());
  for (double& value : theta) value = stream.normal() / std::sqrt(static_cast<double>(shape.units));
  return {shape, theta};
}

/// Features with the memory they point into.
struct OwnedFeatures {
  std::vector<double> inputs, signals, out;
  Features<double> features;
};

inline OwnedFeatures tangent_features(const Network<double>& network, const RandomContexts& contexts) {
  const std::size_t n = contexts.blocks.size(), layers = network.shape().hidden() * n * network.shape().units;
  OwnedFeatures owned{std::vector<double>(layers), std::vector<double>(layers), std::vector<double>(n), {}};
  network.forward(contexts.batch(), owned.inputs.data(), owned.out.data());
  network.backward(n, owned.inputs.data(), nullptr, owned.signals.data());
  owned.features = {contexts.batch(), owned.inputs.data(), owned.signals.data()};
  return owned;
}

/// Row i: the gradient of f at context i, as the trainer would accumulate it for that context alone.
inline std::vector<std::vector<double>> explicit_gradients(const Network<double>& network,
                                                           const RandomContexts& contexts) {
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < contexts.blocks.size(); ++i) {
    const auto begin = contexts.x.begin() + static_cast<std::ptrdiff_t>(i * contexts.d);
    const RandomContexts one{
        {begin, begin + static_cast<std::ptrdiff_t>(contexts.d)}, {contexts.blocks[i]}, contexts.d};
    const OwnedFeatures owned = tangent_features(network, one);
    const double weight = 1;
    rows.emplace_back(network.shape().parameters());
    network.accumulate(owned.features, &weight, rows.back().data());
  }
  return rows;
}

}  // namespace neuralts
