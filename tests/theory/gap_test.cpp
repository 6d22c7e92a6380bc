#include <gtest/gtest.h>

#include <cmath>

#include "neuralts/tangent.hpp"
#include "neuralts/theory.hpp"
#include "theory/worlds.hpp"

namespace neuralts::theory {
namespace {

GramOf network_gram(const Shape& shape, std::size_t depth) {
  return [=](std::span<const Slice> contexts, std::size_t width, std::uint64_t seed, double variance) {
    return initial_tangent_gram(contexts, {.shape = shape, .width = width, .depth = depth, .seed = seed, .output_variance = variance});
  };
}

std::vector<Gap> measure(bool disjoint, std::size_t depth, const std::vector<std::size_t>& widths, std::size_t repeats) {
  const LaidDownWorld world(random_world(10, 2, 6, disjoint, 8));
  return kernel_gap(world, {.widths = widths, .depth = depth, .contexts = 20, .repeats = repeats, .seed = 5}, network_gram(world.info().shape, depth));
}

// One hidden layer: an entry of the Gram matrix is the mean of m/2 independent terms (units come in pairs) with the kernel as
// expectation, so E||G - H||^2 is c / m exactly and log distance falls with slope -1/2. The fit's standard error comes from the repeats;
// four of them is a miss once in 16,000, and the seeds are fixed.
TEST(KernelGap, FallsAsTheRootOfTheWidth) {
  for (bool disjoint : {false, true}) {
    const auto gaps = measure(disjoint, 2, {32, 128, 512, 2048}, 30);
    for (const auto which : {&Gap::published, &Gap::paper}) {
      const Slope slope = fit_slope(gaps, which);
      EXPECT_LT(slope.error, 0.03);
      EXPECT_NEAR(slope.value, -0.5, 4 * slope.error);
    }
  }
}

// Deeper networks converge at the same rate up to terms of order 1/m, which at m >= 64 change the slope by less than 0.05.
TEST(KernelGap, FallsAsTheRootOfTheWidthForDeeperNetworks) {
  const auto gaps = measure(false, 3, {64, 256, 512}, 8);
  for (const auto which : {&Gap::published, &Gap::paper}) {
    const Slope slope = fit_slope(gaps, which);
    EXPECT_LT(slope.error, 0.06);
    EXPECT_NEAR(slope.value, -0.5, 4 * slope.error + 0.05);
  }
}

// The published last layer has variance 2/m, for which the Gram matrix tends to H~; the paper's H belongs to variance 1/m.
// A sixteenfold width makes the vanishing distances four times smaller, and leaves the other where it is.
TEST(KernelGap, ThePublishedInitialisationDoesNotTendToThePapersMatrix) {
  const auto gaps = measure(false, 2, {256, 4096}, 5);
  EXPECT_LT(gaps[1].published.value, 0.5 * gaps[0].published.value);
  EXPECT_LT(gaps[1].paper.value, 0.5 * gaps[0].paper.value);
  EXPECT_GT(gaps[1].published_to_paper.value, 0.9 * gaps[0].published_to_paper.value);
}

TEST(KernelGap, RefusesWhatItCannotMeasure) {
  const LaidDownWorld world(random_world(2, 2, 3, false, 1));
  const auto gram = network_gram(world.info().shape, 2);
  EXPECT_THROW(kernel_gap(world, {.widths = {33}}, gram), Error);
  EXPECT_THROW(kernel_gap(world, {.widths = {}}, gram), Error);
  EXPECT_THROW(kernel_gap(world, {.depth = 1}, gram), Error);
  EXPECT_THROW(fit_slope({}, &Gap::paper), ContractError);
}

}  // namespace
}  // namespace neuralts::theory
