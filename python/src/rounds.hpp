// From Python's arrays to the engine's contexts: the table of what is taken and what is refused (doc/python.md).
#pragma once

#include <vector>

#include "arrays.hpp"
#include "neuralts/policy.hpp"

namespace neuralts::python {

/// What a round offers, with the numbers the view looks at.
struct Offer {
  Numbers numbers;
  std::vector<std::uint32_t> arms;
  Contexts contexts;
};

/// A matrix with a row per arm, or, where the policy has a block per arm, one x for all of them.
Offer to_offer(const py::object& contexts, const Shape& shape);
/// One x, offered to `arms`: None for all, a count for the first ones, or a list.
Offer to_disjoint(const py::object& x, const py::object& arms, const Shape& shape);

/// Finished rounds, with the numbers their views look at.
struct History {
  Numbers contexts, rewards;
  std::vector<Finished> rounds;
};

/// One context and its reward, or a matrix and a list. `arms` says whose they were; needed when the policy has
/// a block per arm.
History to_history(const py::object& contexts, const py::object& rewards, const py::object& arms,
                   const py::object& weights, const Shape& shape);

/// One context that was played; `arm` as above. `numbers` holds what the view looks at.
Slice to_slice(const py::object& context, const py::object& arm, const Shape& shape, Numbers& numbers);

}  // namespace neuralts::python
