#include "policy/theorem.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace neuralts::math {
namespace {

const Horizon small{.rounds = 7, .arms = 2, .depth = 2, .noise = 0.3, .delta = 0.1};

TEST(Theorem, SettingsByHand) {
  const double lambda = theorem_lambda(7);
  EXPECT_DOUBLE_EQ(lambda, 8.0 / 7);
  EXPECT_NEAR(theorem_norm(0), 1 / (22 * 2.718281828459045 * 1.7724538509055159), 1e-15);
  EXPECT_DOUBLE_EQ(theorem_norm(8), 4);
  EXPECT_NEAR(theorem_nu(small, 1, 3), 1 + 0.3 * std::sqrt(3 + 2 + 2 * std::log(10)), 1e-14);
  EXPECT_NEAR(theorem_step(small, lambda, 100), 1 / (100 * (8.0 / 7 + 14)), 1e-16);
  EXPECT_EQ(theorem_iterations(small, lambda),
            std::ceil((1 + 14 / lambda) * (1 + std::log(343 * 2 / lambda * std::log(10)))));
  EXPECT_NEAR(theorem_draw_radius(1, 2), std::sqrt(2 * std::log(2)), 1e-15);
}

// The step shrinks what is left of the regularised problem by 1 - eta m lambda a turn; J turns must bring
// sqrt(TL / lambda) (4T + ...) below a constant, which is what the proof uses J for.
TEST(Theorem, IterationsSolveTheRegularisedProblem) {
  for (double T : {5.0, 50.0, 500.0, 5000.0}) {
    const Horizon at{.rounds = T, .arms = 4, .depth = 3, .noise = 1, .delta = 0.05};
    const double lambda = theorem_lambda(T), m = 100;
    const double left = std::pow(1 - theorem_step(at, lambda, m) * m * lambda, theorem_iterations(at, lambda));
    EXPECT_LT(left * std::sqrt(T * at.depth / lambda) * (4 * T + std::sqrt(2 * std::log(1 / at.delta) * T)), 4);
  }
}

// With log det growing like log T and nu fixed, the bound is sqrt(T) up to logarithms: a hundredfold T costs
// between 10 and 30 fold.
TEST(Theorem, RegretGrowsLikeTheRootOfTheHorizon) {
  const auto bound = [](double T) { return theorem_regret({.rounds = T, .arms = 2}, 1, 1, 5 * std::log1p(2 * T)); };
  EXPECT_GT(bound(1e6) / bound(1e4), 10);
  EXPECT_LT(bound(1e6) / bound(1e4), 30);
}

TEST(Theorem, WidthConditionIsMetJustAtTheWidth) {
  const double lambda = 1, log10_m = theorem_units_log10(
                               {.rounds = 1000, .arms = 2, .depth = 2, .noise = 0, .delta = 0.1}, lambda, 1);
  const double log_m = log10_m * std::log(10), T = 1000, L = 2;
  const double descent = T * std::pow(L, 12) + std::pow(T, 7) * std::pow(L, 18) * std::pow(1 + L * T, 6) +
                         std::pow(L, 21) * std::pow(T, 7) * std::pow(1 + std::sqrt(T), 6);
  EXPECT_NEAR(log_m - 3 * std::log(log_m), std::log(descent), 1e-9);
  EXPECT_TRUE(std::isinf(theorem_units_log10(small, lambda, 0)));
  EXPECT_GT(theorem_units_log10(small, lambda, 1e-12), theorem_units_log10(small, lambda, 1));
}

}  // namespace
}  // namespace neuralts::math
