// The regret theorem of Neural Thompson Sampling as plain formulas (Zhang, Zhou, Li, Gu 2021, Theorem 3.5 and
// Condition 4.1).
//
// Letters: T rounds, K arms, L depth, m units, R sub-Gaussian noise, delta failure probability, lambda
// regularisation, log_det = log det(I + H / lambda) over all TK contexts, lambda_0 the smallest eigenvalue of
// H, h'H^-1 h the reward's energy. The theorem leaves its absolute constants open; they are arguments here, 1
// unless told otherwise.
#pragma once

namespace neuralts {

struct Horizon {
  double rounds = 1;  ///< T >= 1
  double arms = 1;    ///< K >= 1
  double depth = 2;   ///< L >= 2
  double noise = 0;   ///< R >= 0
  double delta = 0.1; ///< in (0, 1)
};

double theorem_lambda(double rounds);                                  ///< 1 + 1 / T
double theorem_effective_dimension(double log_det, double rounds, double arms, double lambda);
/// B = max(1 / (22 e sqrt pi), sqrt(2 h'H^-1 h)).
double theorem_norm(double reward_energy);
/// B + R sqrt(log_det + 2 + 2 log(1 / delta)).
double theorem_nu(const Horizon& at, double norm, double log_det);
double theorem_step(const Horizon& at, double lambda, double units, double C1 = 1);                ///< eta
/// J, a whole number >= 1.
double theorem_iterations(const Horizon& at, double lambda, double C1 = 1, double C2 = 1);
double theorem_draw_radius(double round, double arms);                 ///< c_t = sqrt(4 log t + 2 log K)
double theorem_regret(const Horizon& at, double lambda, double nu, double log_det, double C3 = 1, double C4 = 1);

/// log10 of the fewest units that meet the condition on them with its constant set to 1; infinite when lambda_0
/// is 0.
double theorem_units_log10(const Horizon& at, double lambda, double lambda_0);

}  // namespace neuralts
