#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "golden.hpp"
#include "policy/theorem.hpp"
#include "neuralts/theory.hpp"
#include "theory/worlds.hpp"

namespace neuralts::theory {
namespace {

using Matrix = Eigen::MatrixXd;
using testing::Contains;
using testing::HasSubstr;

TEST(Analysis, AgreesWithTheGoldenFile) {
  const auto file = golden_file("ntk.json");
  const LaidDownWorld world(
      {.arms = file.at("K"), .rows = file.at("X").get<std::vector<Row>>(), .h = file.at("h").get<Row>()});
  for (const auto& expected : file.at("cases")) {
    const auto found = analyse(world, {.depth = expected.at("L"),
                                       .lambda = file.at("lambda"),
                                       .delta = file.at("delta"),
                                       .noise = file.at("R")});
    EXPECT_EQ(found.rounds, file.at("T").get<std::size_t>());
    EXPECT_NEAR(found.lambda_0, expected.at("lambda_0").get<double>(), 1e-10);
    EXPECT_NEAR(found.effective_dimension, expected.at("effective_dimension").get<double>(), 1e-10);
    EXPECT_NEAR(found.B, expected.at("B").get<double>(), 1e-10);
    EXPECT_NEAR(found.nu, expected.at("nu").get<double>(), 1e-10);
  }
}

// H built the long way, all TK contexts as slices, and everything from one dense eigen-decomposition.
struct Dense {
  Eigen::VectorXd eigenvalues;
  double log_det, energy;
};

Dense dense(const LaidDown& data, std::size_t depth, double lambda) {
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < data.h.size(); ++i)
    slices.push_back(data.disjoint ? Slice{data.rows[i / data.arms], i % data.arms} : Slice{data.rows[i], 0});
  const auto numbers = tangent_kernel_matrix(slices, depth);
  const auto n = static_cast<Eigen::Index>(slices.size());
  const Matrix H = Eigen::Map<const Matrix>(numbers.data(), n, n);
  EXPECT_EQ(H, H.transpose());
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(H);
  const Eigen::VectorXd turned = solver.eigenvectors().transpose() *
                                 Eigen::Map<const Eigen::VectorXd>(data.h.data(), n);
  return {solver.eigenvalues(), (solver.eigenvalues().array() / lambda).log1p().sum(),
          (turned.array().square() / solver.eigenvalues().array()).sum()};
}

TEST(Analysis, PartsOfDisjointContextsEqualTheWholeMatrix) {
  for (std::size_t arms : {2, 3, 7}) {
    const auto data = random_world(20, arms, 6, true, arms);
    const auto found = analyse(LaidDownWorld(data), {.depth = 3, .lambda = 0.5});
    const auto truth = dense(data, 3, 0.5);
    ASSERT_EQ(found.spectrum.size(), data.h.size());
    for (std::size_t i = 0; i < found.spectrum.size(); ++i)
      EXPECT_NEAR(found.spectrum[i],
                  truth.eigenvalues[static_cast<Eigen::Index>(found.spectrum.size() - 1 - i)], 1e-10);
    EXPECT_NEAR(found.log_det, truth.log_det, 1e-9);
    EXPECT_NEAR(found.B, theorem_norm(truth.energy), 1e-8);
  }
}

TEST(Analysis, CholeskyAndEigenvaluesGiveTheSameLogDeterminant) {
  for (bool disjoint : {false, true}) {
    const auto found = analyse(LaidDownWorld(random_world(60, 3, 8, disjoint, 5)), {.depth = 2});
    double by_eigenvalues = 0;
    for (const double value : found.spectrum) by_eigenvalues += std::log1p(value / found.lambda);
    EXPECT_NEAR(found.log_det, by_eigenvalues, 1e-9);
    EXPECT_EQ(found.log_det_error, 0);
    EXPECT_DOUBLE_EQ(found.lambda_0, found.spectrum.back());
  }
}

TEST(Analysis, TheCurveIsTheAnalysisOfShorterWorlds) {
  for (bool disjoint : {false, true}) {
    const LaidDownWorld world(random_world(30, 2, 4, disjoint, 9));
    const auto whole = analyse(world, {.lambda = 1});
    ASSERT_EQ(whole.curve_rounds.size(), 30U);
    for (std::size_t i : {0, 9, 29}) {
      const auto part = analyse(world, {.rounds = whole.curve_rounds[i], .lambda = 1});
      EXPECT_NEAR(whole.curve_dimension[i], part.effective_dimension, 1e-10);
    }
    EXPECT_DOUBLE_EQ(whole.curve_bound.back(), whole.bound);
    EXPECT_TRUE(std::is_sorted(whole.curve_bound.begin(), whole.curve_bound.end()));
  }
}

TEST(Analysis, TheSketchBracketsTheTruth) {
  for (bool disjoint : {false, true}) {
    const LaidDownWorld world(random_world(150, 2, 3, disjoint, 21));
    const auto exact = analyse(world, {});
    double previous = 1e300;
    for (std::size_t rank : {5, 20, 60}) {
      const auto sketched = analyse(world, {.exact = 60, .sketch_rank = rank});
      EXPECT_LE(std::abs(sketched.log_det - exact.log_det), sketched.log_det_error) << rank;
      EXPECT_LT(sketched.log_det_error, previous);
      EXPECT_GE(sketched.lambda_0, exact.lambda_0);
      EXPECT_LE(sketched.B, exact.B);
      EXPECT_LE(sketched.spectrum.front(), exact.spectrum.front() * (1 + 1e-12));
      previous = sketched.log_det_error;
    }
    const auto full = analyse(world, {.exact = 60, .sketch_rank = 300});
    EXPECT_NEAR(full.log_det, exact.log_det, 1e-6);
  }
}

TEST(Analysis, TheAppendixBoundsTheEffectiveDimension) {
  for (std::size_t dim : {2, 3, 10})
    for (std::size_t depth : {2, 4}) {
      const auto found = analyse(LaidDownWorld(random_world(80, 2, dim, false, dim)),
                                 {.depth = depth, .lambda = 1});
      EXPECT_LE(found.effective_dimension, found.d_prime_bound);
      EXPECT_LE(found.d_prime, found.contexts);
    }
}

// Contexts in a plane need fewer dimensions than contexts that fill R^20, whatever the room they are given.
TEST(Analysis, ContextsInAPlaneHaveASmallEffectiveDimension) {
  auto flat = random_world(100, 1, 20, false, 2);
  for (auto& row : flat.rows) {
    const double norm = std::hypot(row[0], row[1]);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = i < 2 ? row[i] / norm : 0;
  }
  const auto narrow = analyse(LaidDownWorld(flat), {}),
             wide = analyse(LaidDownWorld(random_world(100, 1, 20, false, 2)), {});
  EXPECT_LT(narrow.effective_dimension, 0.4 * wide.effective_dimension);
}

TEST(Analysis, RepeatedContextsMakeTheMatrixSingularAndTheNotesSaySo) {
  auto data = random_world(10, 2, 4, false, 3);
  data.rows[7] = data.rows[2];
  data.h[7] = data.h[2];
  const auto found = analyse(LaidDownWorld(data), {});
  EXPECT_GT(found.jitter, 0);
  EXPECT_NEAR(found.lambda_0, 0, 1e-12);
  EXPECT_THAT(found.notes, Contains(HasSubstr("contexts repeat")));
  EXPECT_TRUE(std::isfinite(found.B));
}

// The ridge fit of rewards that come from a function of the kernel's space has at most that function's norm.
TEST(Analysis, HiddenRewardsAreEstimated) {
  auto data = random_world(40, 2, 3, false, 4);
  const auto open = analyse(LaidDownWorld(data), {});
  data.silent = true;
  const auto hidden = analyse(LaidDownWorld(data), {});
  EXPECT_FALSE(open.estimated_reward);
  EXPECT_TRUE(hidden.estimated_reward);
  EXPECT_LE(hidden.B, open.B);
  EXPECT_GT(hidden.B, theorem_norm(0));
  EXPECT_DOUBLE_EQ(hidden.log_det, open.log_det);
}

TEST(Analysis, DoesNotDependOnTheNumberOfThreads) {
  const LaidDownWorld world(random_world(100, 2, 5, true, 6));
  const auto one = analyse(world, {.threads = 1}), many = analyse(world, {.threads = 5});
  EXPECT_EQ(one.spectrum, many.spectrum);
  EXPECT_EQ(one.curve_dimension, many.curve_dimension);
}

TEST(Analysis, RefusesSettingsOutOfRange) {
  const LaidDownWorld world(random_world(4, 2, 3, false, 1));
  for (const Options& bad : {Options{.depth = 1}, Options{.lambda = -1}, Options{.lambda = 0}, Options{.delta = 0},
                             Options{.delta = 1}, Options{.noise = -0.1}, Options{.units = 0}})
    EXPECT_THROW(analyse(world, bad), Error);
  EXPECT_THROW(tangent_kernel_matrix({}, 1), ContractError);
}

TEST(KernelMatrix, RefusesContextsThatHaveNoKernel) {
  const auto refusal = [](const Row& second) -> std::string {
    const Row first{1, 2};
    try {
      tangent_kernel_matrix(std::vector<Slice>{{first, 0}, {second, 0}}, 2);
    } catch (const ContractError& problem) {
      return problem.what();
    }
    return "nothing was refused";
  };
  EXPECT_EQ(refusal({1e15, 0}), "nothing was refused");
  EXPECT_THAT(refusal({1, std::nan("")}), HasSubstr("context 1 of a kernel matrix: number 1 is nan"));
  EXPECT_THAT(refusal({HUGE_VAL, 1}), HasSubstr("number 0 is inf"));
  EXPECT_THAT(refusal({1e200, 1}), HasSubstr("up to 1e15"));
  EXPECT_THAT(refusal({1, 2, 3}), HasSubstr("context 1 of a kernel matrix has 3 numbers, the first has 2"));
  EXPECT_THROW(tangent_kernel_matrix(std::vector<Slice>(2), 2), ContractError);
}

// Both of the theorem's quantities are homogeneous of degree 1 in each context's length.
TEST(KernelMatrix, ContextsNeedNoUnitLength) {
  const Row a{0.6, 0.8}, b{1, 0}, longer{6, 8}, shorter{0.25, 0};
  const auto unit = tangent_kernel_matrix(std::vector<Slice>{{a, 0}, {b, 0}}, 3),
             scaled = tangent_kernel_matrix(std::vector<Slice>{{longer, 0}, {shorter, 0}}, 3);
  EXPECT_NEAR(scaled[0], 100 * unit[0], 1e-12);
  EXPECT_NEAR(scaled[1], 2.5 * unit[1], 1e-14);
  EXPECT_NEAR(scaled[3], unit[3] / 16, 1e-15);
}

TEST(Analysis, AWorldThatBreaksItsPromiseIsRefused) {
  auto data = random_world(4, 2, 3, false, 1);
  data.h[5] = std::nan("");
  EXPECT_THROW(analyse(LaidDownWorld(data), {}), Error);
  data.silent = true;
  data.h[4] = HUGE_VAL;
  EXPECT_THROW(analyse(LaidDownWorld(data), {}), Error);
  data = random_world(4, 2, 3, false, 1);
  data.rows[1][2] = HUGE_VAL;
  EXPECT_THROW(analyse(LaidDownWorld(data), {}), Error);
}

TEST(Analysis, SaysWhichAssumptionsDoNotHold) {
  auto data = random_world(4, 2, 3, false, 1);
  data.h[0] = 3;
  data.rows[0][0] += 1;
  const auto found = analyse(LaidDownWorld(data), {.rounds = 100});
  EXPECT_THAT(found.notes, Contains(HasSubstr("unit length")));
  EXPECT_THAT(found.notes, Contains(HasSubstr("[-1, 1]")));
  EXPECT_THAT(found.notes, Contains(HasSubstr("fewer rounds")));
}

}  // namespace
}  // namespace neuralts::theory
