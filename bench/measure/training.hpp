// Rates of the heavy loops: training passes and solves with the exact posterior's factor.
#pragma once

#include <cstddef>

namespace neuralts::bench {

/// GFLOP/s of gradient descent over n rounds of d numbers, width m, one hidden layer, counting only layer 1's
/// two products (4 n d m a step); relu, residuals, back-propagation and the step are included in the time.
double training_rate(std::size_t d, std::size_t m, std::size_t n, double budget);

/// GB/s at which a factor of n rows is read while k right sides are solved.
double solve_rate(std::size_t n, std::size_t k, double budget);

}  // namespace neuralts::bench
