#include "feature/field_encoder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/text.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

constexpr double largest = 4;  // of a standardised number: one outlier must not outshout everything else
constexpr std::size_t nowhere = ~std::size_t{0};

bool has_values(FeatureKind kind) {
  return kind == FeatureKind::category || kind == FeatureKind::list || kind == FeatureKind::id;
}

std::string said(const Field& field) {
  switch (field.kind) {
    case Field::Kind::text: return "the text " + shown(field.text);
    case Field::Kind::truth: return field.number != 0 ? "true" : "false";
    case Field::Kind::number: return "the number " + format_number(field.number);
    case Field::Kind::missing: break;
  }
  return "nothing";
}

std::string name_of(FieldPart part) { return part == FieldPart::context ? "context" : "action"; }

}  // namespace

FieldEncoder::FieldEncoder(const std::vector<Feature>& features, bool strict, FieldPart part)
    : strict_(strict), part_(part) {
  std::uint32_t slot = 0;
  entries_.reserve(features.size());  // names_ points into it
  for (const auto& feature : features) {
    Entry& entry = entries_.emplace_back();
    entry.feature = feature;
    entry.first = slot;
    entry.seed = hash_text(feature.name);
    entry.own = static_cast<std::uint32_t>(feature.values.size());
    slot += static_cast<std::uint32_t>(feature.slots());
    entry.table.resize(feature.values.empty() ? 0 : std::bit_ceil(2 * feature.values.size()));
    for (std::uint32_t i = 0; i < entry.own; ++i) {
      std::size_t at = hash_text(feature.values[i], entry.seed) & (entry.table.size() - 1);
      while (entry.table[at] != 0) at = (at + 1) & (entry.table.size() - 1);
      entry.table[at] = i + 1;
    }
    if (!names_.emplace(entry.feature.name, static_cast<std::uint32_t>(entries_.size() - 1)).second)
      throw ContractError("the schema names the " + name_of(part) + "'s field '" + feature.name + "' twice");
  }
}

std::uint32_t FieldEncoder::Entry::find(std::string_view value, std::uint64_t hash) const {
  if (table.empty()) return own;
  for (std::size_t at = hash & (table.size() - 1); table[at] != 0; at = (at + 1) & (table.size() - 1))
    if (feature.values[table[at] - 1] == value) return table[at] - 1;
  return own;
}

// Objects of a kind mostly name their fields in the same order: the next one is tried first.
std::size_t FieldEncoder::find(std::string_view name, std::size_t guess) const {
  if (guess < entries_.size() && entries_[guess].feature.name == name) return guess;
  const auto found = names_.find(name);
  return found == names_.end() ? nowhere : found->second;
}

std::size_t FieldEncoder::encode(Fields object, std::vector<Touched>& out) const {
  thread_local std::vector<std::uint32_t> seen;  // how often each feature was named
  // For the field at a position: the entry the last object had there.
  thread_local std::vector<std::uint32_t> of_contexts, of_actions;
  auto& guesses = part_ == FieldPart::context ? of_contexts : of_actions;
  seen.assign(entries_.size(), 0);
  if (guesses.size() < object.size()) guesses.resize(object.size());
  std::size_t left_out = 0;
  const std::size_t begin = out.size();
  for (std::uint32_t at = 0; at < object.size(); ++at) {
    const Field& field = object[at];
    const std::size_t index = find(field.name, guesses[at]);
    if (index == nowhere) {
      if (strict_) refuse(field.name, "the schema has no such field", "declare it, or leave it out");
      ++left_out;
      continue;
    }
    guesses[at] = static_cast<std::uint32_t>(index);
    const Entry& entry = entries_[index];
    if (entry.feature.kind == FeatureKind::ignored || field.kind == Field::Kind::missing) continue;
    if (seen[index]++ > 0 && !takes_several(entry.feature.kind))
      refuse(field.name, "it is given twice", "declare it a list");
    touch(entry, static_cast<std::uint32_t>(index), field, at, out);
  }
  for (std::uint32_t index = 0; index < entries_.size(); ++index) {
    const Entry& entry = entries_[index];
    if (seen[index] == 0 && entry.feature.kind != FeatureKind::ignored)
      out.push_back({entry.missing(), index, Touched::no_field, 1});
    if (seen[index] > 1)  // a list of n values has length 1, whatever n
      for (auto touched = out.begin() + static_cast<std::ptrdiff_t>(begin); touched != out.end(); ++touched)
        if (touched->feature == index) touched->value /= std::sqrt(static_cast<double>(seen[index]));
  }
  return left_out;
}

// A category that was learned may be a list of which nobody had given two values yet: with one value they are the same.
bool FieldEncoder::takes_several(FeatureKind kind) const {
  return kind == FeatureKind::list || (kind == FeatureKind::category && !strict_);
}

void FieldEncoder::touch(const Entry& entry, std::uint32_t index, const Field& field, std::uint32_t at,
                         std::vector<Touched>& out) const {
  if (has_values(entry.feature.kind)) return touch_value(entry, index, field, at, out);
  touch_number(entry, index, field, at, out);
}

void FieldEncoder::touch_number(const Entry& entry, std::uint32_t index, const Field& field, std::uint32_t at,
                                std::vector<Touched>& out) const {
  const bool truth = entry.feature.kind == FeatureKind::truth;
  if (field.kind == Field::Kind::text ||
      (truth && field.kind == Field::Kind::number && field.number != 0 && field.number != 1))
    refuse(field.name, std::string(truth ? "a truth value" : "a number") + " is needed, found " + said(field),
           "declare it a category");
  if (!std::isfinite(field.number))
    refuse(field.name, "the number is not finite", "leave it out or give null where it is not known");
  const double value = truth ? 2 * field.number - 1
                             : std::clamp((field.number - entry.feature.mean) / entry.feature.deviation,
                                          -largest, largest);
  out.push_back({entry.first, index, at, value});
  if (entry.feature.curved)
    out.push_back({entry.first + 1, index, at, std::min((value * value - 1) * std::sqrt(0.5), largest)});
}

void FieldEncoder::touch_value(const Entry& entry, std::uint32_t index, const Field& field, std::uint32_t at,
                               std::vector<Touched>& out) const {
  char digits[32];
  std::string_view value = field.text;
  if (field.kind == Field::Kind::truth) value = field.number != 0 ? "true" : "false";
  if (field.kind == Field::Kind::number) {
    if (!std::isfinite(field.number))
      refuse(field.name, "the number is not finite", "leave it out or give null where it is not known");
    const std::string text = format_number(field.number);
    value = {digits, text.copy(digits, sizeof digits)};
  }
  const std::uint64_t hash = hash_text(value, entry.seed);
  const std::uint32_t own = entry.find(value, hash);
  const std::uint32_t hashed = static_cast<std::uint32_t>(entry.feature.hashed), first = entry.first + entry.own;
  if (own < entry.own) return out.push_back({entry.first + own, index, at, 1});
  if (hashed == 0) return out.push_back({first, index, at, 1});
  const auto slot = [&](std::uint64_t h) { return first + shared_slot(h, hashed); };
  if (entry.feature.kind != FeatureKind::id) return out.push_back({slot(hash), index, at, shared_sign(hash)});
  // Two slots each: ids that share one still differ in the other.
  const std::uint64_t again = mixed(hash + 0x9e3779b97f4a7c15u);
  out.push_back({slot(hash), index, at, shared_sign(hash) * std::sqrt(0.5)});
  out.push_back({slot(again), index, at, shared_sign(again) * std::sqrt(0.5)});
}

std::string FieldEncoder::slot_name(std::size_t slot) const {
  for (const Entry& entry : entries_) {
    const std::size_t within = slot - entry.first;
    if (slot < entry.first || within >= entry.feature.slots()) continue;
    if (slot == entry.missing()) return entry.feature.name + " missing";
    if (!has_values(entry.feature.kind)) return entry.feature.name + (within == 1 ? " squared" : "");
    if (within < entry.own) return entry.feature.name + "=" + entry.feature.values[within];
    return entry.feature.hashed == 0 ? entry.feature.name + " other"
                                     : entry.feature.name + " #" + std::to_string(within - entry.own);
  }
  return "?";
}

std::string FieldEncoder::term_name(const Touched& touched, Fields object) const {
  const Entry& entry = entries_[touched.feature];
  const std::string& name = entry.feature.name;
  if (touched.field == Touched::no_field) return name + " missing";
  const Field& field = object[touched.field];
  switch (field.kind) {
    case Field::Kind::text: return name + "=" + std::string(field.text);
    case Field::Kind::truth: return name + (field.number != 0 ? "=true" : "=false");
    default: break;
  }
  if (has_values(entry.feature.kind)) return name + "=" + format_number(field.number);
  return name + (touched.slot == entry.first + 1 ? " squared" : "");
}

void FieldEncoder::refuse(std::string_view name, const std::string& what, const std::string& hint) const {
  throw FieldError("the " + name_of(part_) + "'s field " + shown(name) + ": " + what + ": " + hint, part_);
}

}  // namespace neuralts
