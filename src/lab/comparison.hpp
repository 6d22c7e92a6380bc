// Two results folders side by side, for people who change a policy.
#pragma once

#include <string>
#include <vector>

#include "lab/summary.hpp"

namespace neuralts {

enum class CompareBy {
  config,  ///< the same specification in both
  policy,  ///< the best configuration of each policy in each world, whatever its preset and parameters
};

struct ComparisonRow {
  std::string world, policy, delay;
  math::Sample a, b;  ///< loss: the final regret, or the mean reward of a replay with its sign turned
  math::TTest test;   ///< of b - a: negative, b is better
  std::string differs{};  ///< parameters in force that are not the same: "nu 0.1 -> 0.01"
  std::size_t pairs;  ///< seeds both have; with two or more the test is the paired one, else Welch's
  bool significant() const { return test.p < test_level; }
};

struct Comparison {
  std::vector<ComparisonRow> rows;
  std::vector<std::string> only_a, only_b;  ///< what the other side lacks
};
Comparison compare(const Summary& a, const Summary& b, CompareBy by);

ReportTable comparison_table(const Comparison& comparison);

}  // namespace neuralts
