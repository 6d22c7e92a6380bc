// The fields of one object, context or action, as the slots they touch.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/text_hash.hpp"
#include "feature/field_error.hpp"
#include "neuralts/feature.hpp"

namespace neuralts {

/// A slot of the object's own encoding that is not 0. Where two point at one slot they add up.
struct Touched {
  std::uint32_t slot = 0;
  std::uint32_t feature = 0;
  std::uint32_t field = no_field;  ///< that said so; no_field: it was missing
  double value = 0;
  static constexpr std::uint32_t no_field = ~0u;
};

class FieldEncoder {
 public:
  FieldEncoder(const std::vector<Feature>& features, bool strict, FieldPart part);

  /// Appends what `object` touches. Returns the number of fields left out. Throws FieldError naming the field.
  std::size_t encode(Fields object, std::vector<Touched>& out) const;
  std::string slot_name(std::size_t slot) const;
  /// "country=DE", "price", "country missing".
  std::string term_name(const Touched& touched, Fields object) const;

 private:
  struct Entry {
    Feature feature;
    std::uint32_t first = 0;  // slot
    std::uint64_t seed = 0;   // of its hashing
    std::uint32_t own = 0;    // slots of listed values
    std::uint32_t missing() const { return first + static_cast<std::uint32_t>(feature.slots()) - 1; }
    // Open addressing over the listed values: 1 + index, 0 is free.
    std::vector<std::uint32_t> table;
    std::uint32_t find(std::string_view value, std::uint64_t hash) const;
  };
  std::size_t find(std::string_view name, std::size_t guess) const;
  bool takes_several(FeatureKind kind) const;
  void touch(const Entry& entry, std::uint32_t index, const Field& field, std::uint32_t at,
             std::vector<Touched>& out) const;
  void touch_number(const Entry& entry, std::uint32_t index, const Field& field, std::uint32_t at,
                    std::vector<Touched>& out) const;
  void touch_value(const Entry& entry, std::uint32_t index, const Field& field, std::uint32_t at,
                   std::vector<Touched>& out) const;
  [[noreturn]] void refuse(std::string_view name, const std::string& what, const std::string& hint) const;

  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, std::uint32_t> names_;  // into entries_
  bool strict_;
  FieldPart part_;
};

}  // namespace neuralts
