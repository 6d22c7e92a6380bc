// Kernel ridge regression, solved by elimination: what the paths made of kernels are tested against.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "model/predict.hpp"

namespace neuralts {

/// A kernel exp(-|x - x'| / length), and noise.
struct KernelRidge {
  struct Round {
    std::vector<double> x;
    double reward, weight;
  };
  double length, lambda;

  double kernel(std::span<const double> x, std::span<const double> y) const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
    return std::exp(-std::sqrt(sum) / length);
  }

  /// sum a_i k(x, x_i), (G + diag(lambda / weight)) a = r.
  double forecast(const std::vector<Round>& rounds, std::span<const double> x) const {
    const std::size_t n = rounds.size();
    std::vector<std::vector<double>> a(n, std::vector<double>(n + 1));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) a[i][j] = kernel(rounds[i].x, rounds[j].x);
      a[i][i] += lambda / rounds[i].weight;
      a[i][n] = rounds[i].reward;
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if (j == i) continue;
        const double factor = a[j][i] / a[i][i];
        for (std::size_t k = i; k <= n; ++k) a[j][k] -= factor * a[i][k];
      }
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) mean += a[i][n] / a[i][i] * kernel(rounds[i].x, x);
    return mean;
  }

  /// Normal numbers times `scale`, the same in single precision, as points are stored.
  static std::vector<Round> rounds(std::uint64_t seed, std::size_t count, std::size_t columns, double scale = 1) {
    Stream stream(seed, Purpose::environment);
    std::vector<Round> out;
    for (std::size_t i = 0; i < count; ++i) {
      Round round{random_numbers(stream, columns), stream.normal(), 1};
      for (double& value : round.x) value = static_cast<double>(static_cast<float>(scale * value));
      out.push_back(round);
    }
    return out;
  }
};

/// Of a path over a thousand blocks that does not speak.
template <class Path>
void expect_no_cost(Path path, double lambda, const KernelRidge::Round& round) {
  path.restart(lambda);
  History<double> history({round.x.size(), 1000});
  history.append(3, round.x, round.reward);
  path.catch_up(history, {});
  EXPECT_EQ(path.waiting(history), 0u);
  EXPECT_EQ(path.memory(), 0u);
  Writer out;
  path.save(out);
  EXPECT_TRUE(out.bytes().empty());
}

}  // namespace neuralts
