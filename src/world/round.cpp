// A round held against what its world has promised.
#include <fmt/format.h>

#include <cmath>

#include "neuralts/environment.hpp"
#include "neuralts/limits.hpp"

namespace neuralts {

namespace {

[[noreturn]] void refuse(const EnvironmentInfo& info, std::size_t round, const std::string& what,
                         const std::string& hint) {
  throw Error(ErrorCode::bad_input, fmt::format("environment {}, round {}", info.name, round), what, hint);
}

/// Arms that share one x are known by their blocks.
std::size_t number_of(std::size_t arm, const Contexts& offered) {
  return offered.shared() ? offered[arm].block : arm;
}

bool usable(double reward) { return std::abs(reward) <= largest_number; }  // NaN is not

}  // namespace

void check_round(const EnvironmentInfo& info, std::size_t round, const Episode& episode) {
  const Contexts& offered = episode.contexts();
  if (info.max_arms > 0 && offered.arms() > info.max_arms)
    refuse(info, round, fmt::format("{} arms are offered, declared are at most {}", offered.arms(), info.max_arms),
           "declare a larger max_arms, or offer fewer");
  try {
    offered.check(info.shape);
  } catch (const ContractError& wrong) {
    refuse(info, round, wrong.what(), "offer finite numbers, in the shape that was declared");
  }
  const auto expected = episode.expected();
  if (!expected.empty() && expected.size() != offered.arms())
    refuse(info, round, fmt::format("{} arms but {} expected rewards", offered.arms(), expected.size()),
           "give one for each arm, or none at all");
  for (std::size_t arm = 0; arm < expected.size(); ++arm)
    if (!usable(expected[arm]))
      refuse(info, round, fmt::format("the expected reward of arm {} is {}", number_of(arm, offered), expected[arm]),
             "finite numbers up to 1e15 are needed");
}

void check_paid(const EnvironmentInfo& info, std::size_t round, const Episode& episode, std::size_t arm, double reward) {
  if (!usable(reward))
    refuse(info, round, fmt::format("the reward of arm {} is {}", number_of(arm, episode.contexts()), reward),
           "finite numbers up to 1e15 are needed");
}

}  // namespace neuralts
