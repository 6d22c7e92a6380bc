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

/// Whether the action's ids have products with the context: a few dozen plays teach an id's worth, not a taste
/// for it, so they have none where other features can carry the taste.
inline bool crosses_ids(const Schema& schema) {
  for (const auto& feature : schema.action)
    if (feature.kind != FeatureKind::id && feature.slots() > 0) return schema.personal_ids;
  return true;
}

/// Whether products are made with a slot of `feature`: all but "other" and "missing", unless `gaps`, and
/// squares. What they say is seldom personal, and where products have few slots they would take those of values
/// that are.
inline bool crosses_slot(const Feature& feature, std::size_t slot, bool gaps) {
  if (feature.curved && slot == 1) return false;
  const bool listed_only = feature.kind != FeatureKind::number && feature.kind != FeatureKind::truth &&
                           feature.hashed == 0;
  return gaps || slot + 1 + listed_only < feature.slots();
}

/// Which slots of an object have products, numbered.
struct Crossed {
  static constexpr std::uint32_t none = ~0u;
  std::size_t slots = 0, fields = 0;
  std::vector<std::uint32_t> at;  // a slot of the object -> its place among those with products, or none

  Crossed(const std::vector<Feature>& features, bool ids, bool gaps) {
    for (const auto& feature : features) {
      const std::size_t before = slots;
      for (std::size_t i = 0; i < feature.slots(); ++i) {
        const bool crossed = (ids || feature.kind != FeatureKind::id) && crosses_slot(feature, i, gaps);
        at.push_back(crossed ? static_cast<std::uint32_t>(slots++) : none);
      }
      fields += slots > before;
    }
  }
};

struct Layout {
  std::size_t context = 0, action = 0;  // slots
  Crossed crossed_context, crossed_action;
  std::size_t products = 0;  // slots
  bool exact = false;        // the product of i and j among the crossed stands at i * crossed_action.slots + j
  // What multiplies raw values.
  double context_weight = 0, action_weight = 0, product_weight = 0, constant_weight = 0;

  explicit Layout(const Schema& schema)
      : context(slots_of(schema.context)),
        action(slots_of(schema.action)),
        crossed_context(schema.context, true, schema.cross_gaps),
        crossed_action(schema.action, crosses_ids(schema), schema.cross_gaps) {
    const bool crossed = schema.interactions && possible_products() > 0;
    exact = crossed && schema.interaction_slots == 0;
    products = exact ? possible_products() : crossed ? schema.interaction_slots : 0;
    const double parts = 1.0 + (context > 0) + (action > 0) + crossed;
    const double per_context = context > 0
                                   ? 1 / std::sqrt(static_cast<double>(active_features(schema.context)))
                                   : 0;
    const double per_action = action > 0 ? 1 / std::sqrt(static_cast<double>(active_features(schema.action))) : 0;
    constant_weight = 1 / std::sqrt(parts);
    context_weight = constant_weight * per_context;
    action_weight = constant_weight * per_action;
    product_weight = crossed ? constant_weight * per_context /
                                   std::sqrt(static_cast<double>(crossed_action.fields))
                             : 0;
  }
  std::size_t possible_products() const { return crossed_context.slots * crossed_action.slots; }
  std::size_t context_at() const { return 1; }
  std::size_t action_at() const { return 1 + context; }
  std::size_t products_at() const { return 1 + context + action; }
  std::size_t length() const { return products_at() + products; }
};

}  // namespace neuralts
