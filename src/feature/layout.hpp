// Where things stand in an encoded vector: constant, context, action, products.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

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

/// Whether the action's ids have products with the context: a few dozen plays teach an id's worth, not a taste for it, so they have
/// none where other features can carry the taste.
inline bool crosses_ids(const Schema& schema) {
  for (const auto& feature : schema.action)
    if (feature.kind != FeatureKind::id && feature.slots() > 0) return schema.personal_ids;
  return true;
}

struct Layout {
  static constexpr std::uint32_t uncrossed = ~0u;
  std::size_t context = 0, action = 0;    // slots
  std::size_t crossed_action = 0;         // of the action's, those with products
  std::size_t crossed_fields = 0;         // of how many of its fields
  std::vector<std::uint32_t> crossed_at;  // a slot of the action -> its place among those, or uncrossed
  std::size_t products = 0;               // slots
  bool exact = false;                     // product (i, j) stands at i * crossed_action + crossed_at[j]
  double context_weight = 0, action_weight = 0, product_weight = 0, constant_weight = 0;  // what multiplies raw values

  explicit Layout(const Schema& schema) : context(slots_of(schema.context)), action(slots_of(schema.action)) {
    number_crossed(schema.action, crosses_ids(schema));
    const bool crossed = schema.interactions && context > 0 && crossed_action > 0;
    exact = crossed && schema.interaction_slots == 0;
    products = exact ? context * crossed_action : crossed ? schema.interaction_slots : 0;
    const double parts = 1.0 + (context > 0) + (action > 0) + crossed;
    const double per_context = context > 0 ? 1 / std::sqrt(static_cast<double>(active_features(schema.context))) : 0;
    const double per_action = action > 0 ? 1 / std::sqrt(static_cast<double>(active_features(schema.action))) : 0;
    constant_weight = 1 / std::sqrt(parts);
    context_weight = constant_weight * per_context;
    action_weight = constant_weight * per_action;
    product_weight = crossed ? constant_weight * per_context / std::sqrt(static_cast<double>(crossed_fields)) : 0;
  }
  std::size_t context_at() const { return 1; }
  std::size_t action_at() const { return 1 + context; }
  std::size_t products_at() const { return 1 + context + action; }
  std::size_t length() const { return products_at() + products; }

 private:
  void number_crossed(const std::vector<Feature>& features, bool ids) {
    for (const auto& feature : features) {
      const bool crossed = ids || feature.kind != FeatureKind::id;
      crossed_fields += crossed && feature.slots() > 0;
      for (std::size_t i = 0; i < feature.slots(); ++i)
        crossed_at.push_back(crossed ? static_cast<std::uint32_t>(crossed_action++) : uncrossed);
    }
  }
};

}  // namespace neuralts
