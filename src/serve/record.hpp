// What the journal's records say, as bytes: version, fields, checksum. Checked when written and again when read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace neuralts::serve {

/// What the actions looked like.
enum class Form : std::uint8_t {
  none,     // not kept: only the ids and probabilities are
  vectors,  // a row of numbers per action
  objects,  // fields of the context and of each action (field_bytes.hpp)
};

/// A decision, with what is needed to make it again and to learn from it.
struct EventRecord {
  std::uint32_t revision = 0;            ///< of the loop's configuration
  std::uint64_t model = 0;               ///< version that decided; 0: none had been learned
  std::uint64_t seed = 0;                ///< of the exploration stream
  bool deferred = false;                 ///< learned only after its activation
  /// The baseline was returned; `preferred` is what the model would have done.
  bool shadow = false;
  bool chosen_only = false;              ///< of the features only those of `chosen` were kept
  bool estimated = false;                ///< the probabilities are an estimate
  std::uint32_t chosen = 0;              ///< index of the action returned
  std::uint32_t preferred = 0;           ///< index of the action the model chose
  std::uint32_t baseline = 0;
  /// How many records, this one first, make up a decision over several slots.
  std::uint32_t slots = 1;
  float predicted = 0;                   ///< the model's mean for `chosen`
  float width = 0;
  float kept = 1;                        ///< with which probability the features were kept
  std::vector<std::string> ids;
  std::vector<float> probabilities;      ///< of the actions being chosen; they sum to 1
  std::vector<std::uint32_t> excluded;   ///< indices of actions that were not eligible, ascending
  std::vector<std::string> slot_ids;     ///< of all slots, in the first record of several
  Form form = Form::none;
  std::uint32_t length = 0;              ///< of a vector
  std::vector<float> vectors;            ///< ids.size() x length, or 1 x length when chosen_only
  std::string objects;

  bool operator==(const EventRecord&) const = default;
};

struct RewardRecord {
  double value = 0;
  bool operator==(const RewardRecord&) const = default;
};

/// Throws ContractError for a record that breaks its own rules: nothing unsound is ever written.
std::string encode(const EventRecord& record);
std::string encode(const RewardRecord& record);
/// Throws Error(corrupt): bytes were changed, or another version wrote them.
EventRecord decode_event(std::string_view bytes);
/// The revision alone, without a look at the rest.
std::uint32_t revision_of(std::string_view event_bytes);
RewardRecord decode_reward(std::string_view bytes);

}  // namespace neuralts::serve
