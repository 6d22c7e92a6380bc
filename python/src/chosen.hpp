// A decision as Python sees it: `arm` is an arm that was offered, so that what is returned can be learned from.
#pragma once

#include "neuralts/policy.hpp"
#include "rounds.hpp"

namespace neuralts::python {

struct Chosen {
  Decision decision;
  std::size_t arm = 0;  ///< the number of the arm chosen; decision.arm is its position among those offered
};

inline Chosen chosen_of(Decision decision, const Offer& offer) {
  const std::size_t arm = offer.arms.empty() ? decision.arm : offer.arms[decision.arm];
  return {std::move(decision), arm};
}

}  // namespace neuralts::python
