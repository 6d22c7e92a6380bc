#include "policy/theorem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace neuralts {

double theorem_lambda(double rounds) {
  return 1 + 1 / rounds;
}

double theorem_effective_dimension(double log_det, double rounds, double arms, double lambda) {
  return log_det / std::log1p(rounds * arms / lambda);
}

double theorem_norm(double reward_energy) {
  const double floor = 1 / (22 * std::numbers::e * std::sqrt(std::numbers::pi));
  return std::max(floor, std::sqrt(2 * reward_energy));
}

double theorem_nu(const Horizon& at, double norm, double log_det) {
  return norm + at.noise * std::sqrt(log_det + 2 + 2 * std::log(1 / at.delta));
}

double theorem_step(const Horizon& at, double lambda, double units, double C1) {
  return C1 / (units * (lambda + at.depth * at.rounds));
}

double theorem_iterations(const Horizon& at, double lambda, double C1, double C2) {
  const double T3 = at.rounds * at.rounds * at.rounds;
  const double logarithm = std::log(T3 * at.depth / lambda * std::log(1 / at.delta));
  return std::max(1.0, std::ceil((1 + at.depth * at.rounds / lambda) * (C2 + logarithm) / C1));
}

double theorem_draw_radius(double round, double arms) {
  return std::sqrt(4 * std::log(round) + 2 * std::log(arms));
}

double theorem_regret(const Horizon& at, double lambda, double nu, double log_det, double C3, double C4) {
  const double T = at.rounds, L = at.depth;
  const double reach = (1 + theorem_draw_radius(T, at.arms)) * nu;
  const double dimension = theorem_effective_dimension(log_det, T, at.arms, lambda);
  return C3 * reach * std::sqrt(2 * lambda * L * (dimension * std::log1p(T * at.arms) + 1) * T) +
         (4 + C4 * reach * L) * std::sqrt(2 * std::log(3 / at.delta) * T) + 5;
}

namespace {

// log m of the smallest m > e^3 with m / (log m)^3 >= exp(log_least): x = log_least + 3 log x contracts for x > 3.
double solve_log_width(double log_least) {
  double x = std::max(log_least, 6.0);
  for (int i = 0; i < 200; ++i) x = std::max(3.0, log_least + 3 * std::log(x));
  return x;
}

double log_sum(double a, double b) {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

}  // namespace

double theorem_units_log10(const Horizon& at, double lambda, double lambda_0) {
  if (!(lambda_0 > 0)) return std::numeric_limits<double>::infinity();
  const double T = std::log(at.rounds), K = std::log(at.arms), L = std::log(at.depth), l = std::log(lambda);
  const double LT = std::log(lambda + at.depth * at.rounds), root = std::log1p(std::sqrt(at.rounds / lambda));
  const double tail = std::log(1 / at.delta);
  const double first = 0.5 * l - 1.5 * L + 1.5 * std::log(std::max(T + K + 2 * L + tail, 1.0));
  const double kernel = 6 * (T + K + L) + std::log(std::max(T + K + L + tail, 1.0)) +
                        4 * std::max(-std::log(lambda_0), 0.0);
  const double descent = log_sum(log_sum(T + 12 * L - l, 7 * T - 8 * l + 18 * L + 6 * LT),
                                 21 * L + 7 * T - 7 * l + 6 * root);
  return std::max({first, kernel, solve_log_width(descent)}) / std::numbers::ln10;
}

}  // namespace neuralts
