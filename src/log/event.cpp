#include "neuralts/event.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace neuralts {

namespace {

constexpr double sum_tolerance = 1e-6;  // a log may have rounded its probabilities

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

std::optional<std::string> problem_of_probabilities(const Event& event) {
  const auto& p = event.probabilities;
  if (p.size() != event.arms() && p.size() != 1)
    return "there are " + std::to_string(p.size()) + " probabilities for " + std::to_string(event.arms()) + " arms";
  double sum = 0;
  for (const double value : p) {
    if (!(value >= 0 && value <= 1 + sum_tolerance))
      return "a probability is " + format_number(value) + ", not from 0 to 1";
    sum += value;
  }
  if (p.size() == event.arms() && !(std::abs(sum - 1) <= sum_tolerance))
    return "the probabilities sum to " + format_number(sum) + ", not to 1";
  if (!(event.probability() > 0)) return "the probability of the arm that was played is 0";
  return std::nullopt;
}

std::optional<std::string> problem_of_offer(const Event& event) {
  const Offer& offer = event.offer;
  const std::size_t rows = offer.blocks.empty() ? event.arms() : 1;
  if (offer.has_numbers() && offer.numbers.size() != rows * offer.length)
    return "the contexts do not have the same length";
  if (!offer.blocks.empty() && offer.blocks.size() != event.arms())
    return "there are " + std::to_string(offer.blocks.size()) + " blocks for " +
           std::to_string(event.arms()) + " arms";
  if (offer.has_objects() && offer.objects.rows() != event.arms() + 1)
    return "there are " + std::to_string(offer.objects.rows() - 1) + " actions with features for " +
           std::to_string(event.arms()) + " arms";
  if (!event.actions.empty() && event.actions.size() != event.arms())
    return "there are " + std::to_string(event.actions.size()) + " action ids for " +
           std::to_string(event.arms()) + " arms";
  if (!all_finite(offer.numbers)) return "a context holds something that is not a finite number";
  return std::nullopt;
}

}  // namespace

Contexts Offer::contexts() const {
  if (!blocks.empty()) return Contexts::disjoint(numbers, blocks);
  return Contexts::per_arm(numbers, length == 0 ? 0 : numbers.size() / length);
}

void Offer::clear() {
  numbers.clear();
  length = 0;
  blocks.clear();
  objects.clear();
}

void Event::clear() {
  id.clear();
  model.clear();
  actions.clear();
  offer.clear();
  probabilities.clear();
  time = reward_time = 0;
  arm = arms_ = 0;
  estimated = false;
  reward.reset();
  kept = 1;
}

std::optional<std::string> problem_of(const Event& event) {
  if (event.arms() == 0) return "the decision offers no arm";
  if (event.arm >= event.arms())
    return "arm " + std::to_string(event.arm) + " was not among the " + std::to_string(event.arms()) +
           " offered";
  if (auto problem = problem_of_offer(event)) return problem;
  if (auto problem = problem_of_probabilities(event)) return problem;
  if (!(event.kept > 0 && event.kept <= 1))
    return "the share of events kept is " + format_number(event.kept) + ", not above 0 and at most 1";
  if (event.reward && !std::isfinite(*event.reward)) return "the reward is not a finite number";
  if (!std::isfinite(event.time) || !std::isfinite(event.reward_time)) return "a time is not a finite number";
  return std::nullopt;
}

}  // namespace neuralts
