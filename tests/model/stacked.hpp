// What tests of the default belief share: a small one, with and without those who speak early, and contexts for it.
#pragma once

#include <cmath>

#include "model/predict.hpp"
#include "model/stacked_belief.hpp"
#include "model/trainer.hpp"

namespace neuralts {

inline NeuralSettings small_belief(const Shape& input = {3, 2}) {
  NeuralSettings s;
  s.shape = {.input = input, .units = 8, .depth = 2, .biases = true, .scale = std::sqrt(8.0)};
  s.design_width = {.shape = s.shape, .lambda = 0.3, .normaliser = 8};
  s.posterior = PosteriorKind::diagonal;
  s.trainer = {.optimiser = Optimiser::adam, .step = 0.005, .iterations = 2, .batch = 16, .keep_moments = true, .decay = 2.4};
  s.standardise = {.inputs = true, .rewards = true, .growth = 1.3};
  s.averaging = 0.01;
  s.refresh = true;
  return s;
}

inline NeuralSettings belief_with_an_early_kernel(const Shape& input = {3, 2}) {
  NeuralSettings s = small_belief(input);
  s.early = true;
  return s;
}

// Contexts of two actions that have two columns in common and one each.
inline std::vector<double> two_actions(std::span<const double> x) { return {x[0], x[1], 1, 0, x[0], x[1], 0, 1}; }

// Of two_actions().
inline NeuralSettings belief_of_columns(bool early) {
  NeuralSettings s = small_belief({4, 1});
  s.early = early;
  return s;
}

}  // namespace neuralts
