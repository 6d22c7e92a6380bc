// What every test of a belief needs: its answer as values, and contexts to ask about.
#pragma once

#include "neuralts/belief.hpp"

namespace neuralts {

using Rows = std::vector<std::vector<double>>;

struct Prediction {
  std::vector<double> mean, width;
};

inline Prediction predict(const Belief& belief, const Contexts& contexts) {
  Scratch scratch;
  Prediction out{std::vector<double>(contexts.arms()), std::vector<double>(contexts.arms())};
  belief.predictor().predict(contexts, scratch, out.mean, out.width);
  return out;
}

inline std::vector<double> random_numbers(Stream& stream, std::size_t n) {
  std::vector<double> x(n);
  for (double& value : x) value = 0.5 * stream.normal();
  return x;
}

}  // namespace neuralts
