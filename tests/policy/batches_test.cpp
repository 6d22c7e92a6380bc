// Rounds that come together are learned as well as rounds that come one by one.
#include <gtest/gtest.h>

#include <cmath>

#include "neuralts/policy.hpp"

namespace neuralts {
namespace {

constexpr std::size_t d = 4, rounds = 1200, asked = 300;

double truth(std::span<const double> x) { return std::sin(2 * x[0]) + std::max(0.0, x[1]) * x[2]; }

std::vector<double> normals(std::size_t count, std::uint64_t seed) {
  Stream stream(seed, Purpose::environment);
  std::vector<double> numbers(count);
  for (double& value : numbers) value = stream.normal();
  return numbers;
}

/// Mean squared error of the policy's means over the truth's variance, after rounds that came `together` at a time.
double unexplained(const std::string& name, std::size_t together) {
  const auto policy = make_policy({.name = name, .preset = {}, .params = {}, .shape = {.length = d}});
  const auto x = normals(rounds * d, 1), probe = normals(asked * d, 2);
  for (std::size_t at = 0; at < rounds; at += together) {
    std::vector<Finished> some;
    for (std::size_t i = at; i < std::min(at + together, rounds); ++i) {
      const auto row = std::span(x).subspan(i * d, d);
      some.push_back({{row}, truth(row)});
    }
    policy->learn(some);
  }
  Stream explore(1, Purpose::exploration);
  Scratch scratch;
  Decision decision;
  policy->select(Contexts::per_arm(probe, asked), explore, scratch, decision);
  double error = 0, sum = 0, squares = 0;
  for (std::size_t i = 0; i < asked; ++i) {
    const double right = truth(std::span(probe).subspan(i * d, d));
    error += (decision.mean[i] - right) * (decision.mean[i] - right);
    sum += right, squares += right * right;
  }
  return error / (squares - sum * sum / asked);
}

class Batches : public testing::TestWithParam<const char*> {};

// A training has enough steps for the rounds it is for: with the steps of one round for 1,200 of them four
// fifths of the variance stay unexplained. What is left differs by the order of mini-batches only; half as much
// again is far beyond that.
TEST_P(Batches, AreLearnedAsWellAsSingleRounds) {
  const double singly = unexplained(GetParam(), 1);
  EXPECT_LT(singly, 0.25);
  for (const std::size_t together : {100, 1200})
    EXPECT_LT(unexplained(GetParam(), together), 1.5 * singly + 0.02) << together;
}

INSTANTIATE_TEST_SUITE_P(Neural, Batches,
                         testing::Values("neural-ts", "neural-ucb", "neural-greedy", "neural-linear",
                                         "bootstrap-nn"),
                         [](const auto& policy) {
                           std::string name = policy.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace neuralts
