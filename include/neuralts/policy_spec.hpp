// A policy, by name: what the factory needs to make one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "neuralts/context.hpp"
#include "neuralts/params.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

/// `params` holds only what differs from the preset: values as KEY=VALUE,KEY=VALUE can tell them, without commas and
/// without spaces at their ends, since files keep them so.
struct PolicySpec {
  std::string name = "neural-ts";
  std::string preset = {};  ///< empty: the policy's default preset
  Params params = {};
  Shape shape = {};
  std::uint64_t seed = 1;  ///< initialisation and training; exploration draws from the caller's stream
  /// neural-ts, neural-ucb: the network to start from instead of a drawn one. Layer after layer W_1, b_1, W_2,
  /// ..., every matrix with a row per output (biases only with biases=true). Saved policies carry their own.
  /// Empty: drawn.
  std::vector<double> weights = {};
};

}  // namespace neuralts
#pragma GCC visibility pop
