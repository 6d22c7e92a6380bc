#include "measure/training.hpp"

#include <cmath>
#include <vector>

#include "measure/clock.hpp"
#include "math/growing_cholesky.hpp"
#include "model/fit.hpp"
#include "neuralts/random.hpp"

namespace neuralts::bench {

namespace {

History<float> random_history(std::size_t d, std::size_t n) {
  History<float> history({d, 1});
  Stream stream(1, Purpose::theory);
  std::vector<float> x(d);
  for (std::size_t i = 0; i < n; ++i) {
    for (float& value : x) value = static_cast<float>(stream.normal() / std::sqrt(static_cast<double>(d)));
    history.append(0, std::span<const float>(x), static_cast<float>(i % 2));
  }
  return history;
}

}  // namespace

double training_rate(std::size_t d, std::size_t m, std::size_t n, double budget) {
  constexpr std::size_t steps = 10;
  NetworkShape shape;
  shape.input = {d, 1};
  shape.units = m;
  Network<float> network(shape, Initialisation::uniform, 1);
  const History<float> history = random_history(d, n);
  TrainerSettings settings;
  settings.step = 1e-4;
  settings.mean_loss = true;
  settings.iterations = steps;
  FitState<float> state(settings, network, 1);
  FitJob<float> job{.network = &network, .history = &history, .settings = &settings, .state = &state};
  const double seconds = fastest(budget, [&] { fit(job, {}); }) / steps;
  return 4 * static_cast<double>(n * d * m) / seconds / 1e9;
}

double solve_rate(std::size_t n, std::size_t k, double budget) {
  math::GrowingCholesky<float> factor;
  const std::vector<float> row(n, 1e-4f);
  while (factor.size() < n) factor.append(row.data(), 1, 1);
  std::vector<float> z(k * n);
  const double seconds = fastest(budget, [&] {
    std::fill(z.begin(), z.end(), 1.0f);
    factor.solve(k, z.data(), n);
  });
  return static_cast<double>(n * n / 2 * sizeof(float)) / seconds / 1e9;
}

}  // namespace neuralts::bench
