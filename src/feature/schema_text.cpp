// A schema as a table for a person.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "feature/layout.hpp"

namespace neuralts {

namespace {

std::string listed(const std::vector<std::string>& values) {
  constexpr std::size_t widest = 60;
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (text.size() + values[i].size() > widest) return text + fmt::format(", ... {} more", values.size() - i);
    text += (i > 0 ? ", " : "") + values[i];
  }
  return text;
}

std::string described(const Feature& feature) {
  switch (feature.kind) {
    case FeatureKind::number:
      return fmt::format("mean {:.4g}, deviation {:.4g}{}", feature.mean, feature.deviation,
                         feature.curved ? "; its square" : "");
    case FeatureKind::truth: return "1 or -1";
    case FeatureKind::ignored: return "never seen with a value";
    default: break;
  }
  const std::string rest = feature.hashed == 0 ? "other" : fmt::format("others hashed into {}", feature.hashed);
  return feature.values.empty() ? rest : listed(feature.values) + "; " + rest;
}

void add_part(std::string& text, const char* part, const std::vector<Feature>& features, std::size_t& slot) {
  for (const auto& feature : features) {
    const std::size_t slots = feature.slots();
    const std::string place = slots == 0 ? "-" : fmt::format("{}..{}", slot, slot + slots - 1);
    text += fmt::format("{:<9} {:<24} {:<9} {:>9}  {}\n", part, feature.name, to_string(feature.kind), place,
                        described(feature));
    slot += slots;
  }
}

}  // namespace

std::string Schema::to_text() const {
  const Layout layout(*this);
  std::string text = fmt::format("{:<9} {:<24} {:<9} {:>9}  {}\n", "of", "field", "kind", "numbers",
                                 "what (each field has one more number for \"missing\")");
  text += fmt::format("{:<9} {:<24} {:<9} {:>9}\n", "", "constant", "", 0);
  std::size_t slot = 1;
  add_part(text, "context", context, slot);
  add_part(text, "action", action, slot);
  const bool has_ids = std::any_of(action.begin(), action.end(),
                                   [](const Feature& feature) { return feature.kind == FeatureKind::id; });
  if (layout.products > 0)
    text += fmt::format("{:<9} {:<24} {:<9} {:>9}  {}\n", "both",
                        has_ids && !crosses_ids(*this) ? "context x action, no ids" : "context x action",
                        "products", fmt::format("{}..{}", slot, slot + layout.products - 1),
                        layout.exact ? "every product has its own number"
                                     : fmt::format("{} products sketched", layout.possible_products()));
  text += fmt::format("{} numbers; a field that is not listed is {}\n", layout.length(),
                      strict ? "refused" : "left out");
  return text;
}

}  // namespace neuralts
