// Where things stand in an encoded vector: constant, context, action, products.
#pragma once

#include <cmath>

#include "neuralts/feature.hpp"

namespace neuralts {

inline std::size_t slots_of(const std::vector<Feature>& features) {
  std::size_t total = 0;
  for (const auto& feature : features) total += feature.slots();
  return total;
}

inline std::size_t active_features(const std::vector<Feature>& features) {
  std::size_t total = 0;
  for (const auto& feature : features) total += feature.slots() > 0;
  return total;
}

struct Layout {
  std::size_t context = 0, action = 0;    // slots
  std::size_t products = 0;               // slots
  bool exact = false;                     // product (i, j) stands at i * action + j
  double context_weight = 0, action_weight = 0, product_weight = 0, constant_weight = 0;  // what multiplies raw values

  explicit Layout(const Schema& schema) : context(slots_of(schema.context)), action(slots_of(schema.action)) {
    const bool crossed = schema.interactions && context > 0 && action > 0;
    exact = crossed && schema.interaction_slots == 0;
    products = exact ? context * action : crossed ? schema.interaction_slots : 0;
    const double parts = 1.0 + (context > 0) + (action > 0) + crossed;
    const double per_context = context > 0 ? 1 / std::sqrt(static_cast<double>(active_features(schema.context))) : 0;
    const double per_action = action > 0 ? 1 / std::sqrt(static_cast<double>(active_features(schema.action))) : 0;
    constant_weight = 1 / std::sqrt(parts);
    context_weight = constant_weight * per_context;
    action_weight = constant_weight * per_action;
    product_weight = constant_weight * per_context * per_action;
  }
  std::size_t context_at() const { return 1; }
  std::size_t action_at() const { return 1 + context; }
  std::size_t products_at() const { return 1 + context + action; }
  std::size_t length() const { return products_at() + products; }
};

}  // namespace neuralts
