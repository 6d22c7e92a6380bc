#include <gtest/gtest.h>

#include <cmath>

#include "neuralts/tangent.hpp"
#include "neuralts/theory.hpp"
#include "theory/worlds.hpp"

namespace neuralts::theory {
namespace {

GramOf network_gram(const Shape& shape, std::size_t depth) {
  return [=](std::span<const Slice> contexts, std::size_t units, std::uint64_t seed, double variance) {
    return initial_tangent_gram(
        contexts,
        {.shape = shape, .units = units, .depth = depth, .seed = seed, .output_variance = variance});
  };
}

std::vector<Gap> measure(bool disjoint, std::size_t depth, const std::vector<std::size_t>& unit_counts,
                         std::size_t repeats) {
  const LaidDownWorld world(random_world(10, 2, 6, disjoint, 8));
  return kernel_gap(
      world, {.unit_counts = unit_counts, .depth = depth, .contexts = 20, .repeats = repeats, .seed = 5},
      network_gram(world.info().shape, depth));
}

// One hidden layer: an entry of the Gram matrix is the mean of m/2 independent terms (units come in pairs) with
// the kernel as expectation, so E||G - H||^2 is c / m exactly and log distance falls with slope -1/2. The fit's
// standard error comes from the repeats; four of them is a miss once in 16,000, and the seeds are fixed.
TEST(KernelGap, FallsAsTheRootOfTheWidth) {
  for (bool disjoint : {false, true}) {
    const auto gaps = measure(disjoint, 2, {32, 128, 512}, 30);
    for (const auto which : {&Gap::published, &Gap::paper}) {
      const Slope slope = fit_slope(gaps, which);
      EXPECT_LT(slope.error, 0.04);
      EXPECT_NEAR(slope.value, -0.5, 4 * slope.error);
    }
  }
}

// Deeper networks converge at the same rate up to terms of order 1/m, which at m >= 64 change the slope by less
// than 0.05.
TEST(KernelGap, FallsAsTheRootOfTheWidthForDeeperNetworks) {
  const auto gaps = measure(false, 3, {64, 128, 256}, 10);
  for (const auto which : {&Gap::published, &Gap::paper}) {
    const Slope slope = fit_slope(gaps, which);
    EXPECT_LT(slope.error, 0.1);
    EXPECT_NEAR(slope.value, -0.5, 4 * slope.error + 0.05);
  }
}

double norm(const std::vector<double>& numbers) {
  double square = 0;
  for (const double number : numbers) square += number * number;
  return std::sqrt(square);
}

// The published last layer has variance 2/m, for which the Gram matrix tends to H~; the paper's H belongs to
// variance 1/m. By the triangle inequality the published Gram matrix is as far from H as H~ is, give or take
// its own distance from H~.
TEST(KernelGap, ThePublishedInitialisationDoesNotTendToThePapersMatrix) {
  const auto gap = measure(false, 2, {4096}, 5)[0];
  const auto data = random_world(10, 2, 6, false, 8);  // what measure() saw
  std::vector<Slice> slices;
  for (const Row& row : data.rows) slices.push_back({row, 0});
  const auto paper = tangent_kernel_matrix(slices, 2, Kernel::paper),
             limit = tangent_kernel_matrix(slices, 2, Kernel::gram);
  std::vector<double> between;
  for (std::size_t i = 0; i < paper.size(); ++i) between.push_back(limit[i] - paper[i]);
  const double apart = norm(between) / norm(paper), slack = gap.published.value * norm(limit) / norm(paper);
  EXPECT_GT(apart, 2 * slack);
  EXPECT_NEAR(gap.published_to_paper.value, apart, slack);
}

TEST(KernelGap, RefusesWhatItCannotMeasure) {
  const LaidDownWorld world(random_world(2, 2, 3, false, 1));
  const auto gram = network_gram(world.info().shape, 2);
  EXPECT_THROW(kernel_gap(world, {.unit_counts = {33}}, gram), Error);
  EXPECT_THROW(kernel_gap(world, {.unit_counts = {}}, gram), Error);
  EXPECT_THROW(kernel_gap(world, {.unit_counts = {8, 4, 8}, .repeats = 1}, gram), Error);
  EXPECT_THROW(kernel_gap(world, {.depth = 1}, gram), Error);
  EXPECT_THROW(fit_slope({}, &Gap::paper), ContractError);
}

}  // namespace
}  // namespace neuralts::theory
