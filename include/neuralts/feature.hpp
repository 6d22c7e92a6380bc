// From objects to numbers: a schema says what every field of the context and of the actions becomes, an encoder
// does it.
//
//   SchemaLearner learner;                             // or a schema given as JSON: parse_features(text)
//   learner.see(context, actions);                     // the first events
//   Encoder encoder(learner.schema());                 // frozen
//   encoder.encode(context, actions, numbers);         // a row of encoder.length() numbers per action, for Contexts::per_arm
//
// The vector of an action is  s (1; c) x (1; a)  where c and a are the context's and the action's own
// encodings, each of length about 1: a constant, the context, the action, and every product of the two, exact
// or sketched. The products make the choice personal: what an action is worth may depend on who is asked, for a
// linear policy as for a network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "neuralts/fields.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

/// What a field becomes. Every kind has a slot for "missing".
enum class FeatureKind : std::uint8_t {
  /// Z = (x - mean) / deviation, at most 4 in size; where it is curved also (z^2 - 1) / sqrt(2), likewise.
  number,
  /// One slot per listed value, then `hashed` slots that unlisted values share by signed hashing, or one for
  /// all of them.
  category,
  truth,     ///< 1 or -1
  list,      ///< a category that may have several values at once
  id,        ///< a category that is expected to have new values all the time: unlisted ones are hashed twice
  ignored,   ///< nothing
};
const char* to_string(FeatureKind kind);

struct Feature {
  std::string name;
  FeatureKind kind = FeatureKind::number;
  bool learned = true;                 ///< the lines below are to be taken from what is seen; false: they are given
  double mean = 0, deviation = 1;      ///< of a number
  /// A number has a slot for its square: a price may be too low and too high, for a line as well.
  bool curved = false;
  std::vector<std::string> values{};   ///< of a category: those with a slot of their own, in alphabetical order
  std::size_t hashed = 0;              ///< slots for the others; 0: one slot, "other"

  /// Numbers this feature takes.
  std::size_t slots() const;
  bool operator==(const Feature&) const = default;
};

/// What the encoding is, frozen. Fields are in alphabetical order.
struct Schema {
  std::vector<Feature> context{}, action{};
  bool interactions = true;             ///< products of context and action
  /// Products with ids too, a taste for every single action; ids alone always have them.
  bool personal_ids = false;
  /// Products with "other" and "missing" too; a file that does not say so is of before, and had them.
  bool cross_gaps = false;
  std::size_t interaction_slots = 0;    ///< in which products are sketched; 0: every product has its own
  bool strict = false;                  ///< a field that is not listed is refused; otherwise it is left out

  /// Of the vector of an action.
  std::size_t length() const;
  /// Of the context alone, for arms in blocks of their own.
  std::size_t context_length() const;
  /// A table for a person: a line per field.
  std::string to_text() const;
  /// For files; from_json(to_json()) is the same schema, bit for bit. Throws Error(bad_spec) naming the field.
  std::string to_json() const;
  static Schema from_json(std::string_view json, const std::string& where = "schema");
  bool operator==(const Schema&) const = default;
};

/// How a schema comes about.
struct FeatureSettings {
  /// Fields that are not declared are taken for what they look like, the most frequent ones where there are thousands; false: refused.
  bool automatic = true;
  std::vector<Feature> context{}, action{};  ///< declared
  bool interactions = true;
  bool personal_ids = false;               ///< as in Schema
  std::size_t events = 256;                ///< after which the schema is frozen
  /// The length aimed at: vocabularies shrink and products are sketched to stay within.
  std::size_t size = 256;
  std::size_t values = 32;                 ///< slots a category may take
  std::size_t id_slots = 48;               ///< slots that ids are hashed into

  /// Every feature is declared with its numbers: the schema needs no event.
  bool complete() const;
  std::string to_json() const;
  bool operator==(const FeatureSettings&) const = default;
};

/// "auto", or JSON: {"context": {"country": "category", "hour": {"kind": "number", "mean": 12, "deviation": 7}},
/// "action": {"id": "id", "price": "number"}, "automatic": false, "events": 500, ...}. With fields declared,
/// others are refused unless "automatic" is true. Throws Error(bad_spec) naming the key.
FeatureSettings parse_features(std::string_view text);

/// Looks at events and says what schema fits them. A pure function of what it saw, whatever the order of fields
/// in an object.
class SchemaLearner {
 public:
  explicit SchemaLearner(FeatureSettings settings = {});
  ~SchemaLearner();
  SchemaLearner(SchemaLearner&&) noexcept;
  SchemaLearner& operator=(SchemaLearner&&) noexcept;

  /// `objects`: row 0 the context, then a row per action. Throws ContractError naming a field that contradicts
  /// its declaration.
  void see(const FieldTable& objects);
  std::size_t events() const;
  Schema schema() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A part of an encoded vector: the value that a field, or a product of two, adds to a slot.
struct Term {
  std::string name;  ///< "country=DE", "price", "country=DE x price", "constant"
  std::size_t slot = 0;
  double value = 0;
};

/// Encodes. Immutable: any number of threads.
class Encoder {
 public:
  /// Throws ContractError for a schema that names a field twice.
  explicit Encoder(Schema schema);
  ~Encoder();
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;

  const Schema& schema() const;
  std::size_t length() const;

  /// A row of length() numbers per action into `out`, row-major; of a table for its first `most` ones. Returns how many fields
  /// were left out because the schema does not know them. REQUIRES out.size() == actions * length(). Throws ContractError, naming the
  /// field, for a text where a number is needed, a number that is not finite, a field given twice that is not a
  /// list, or an unknown field when the schema is strict.
  std::size_t encode(const FieldTable& objects, std::span<double> out, std::size_t most = SIZE_MAX) const;
  std::size_t encode(Fields context, std::span<const Fields> actions, std::span<double> out) const;
  /// The context alone: schema().context_length() numbers, (1; c) / sqrt(2).
  std::size_t encode_context(Fields context, std::span<double> out) const;

  /// What encode() adds up for one action: the terms of a slot sum to its number.
  std::vector<Term> terms(Fields context, Fields action) const;
  /// The same for encode_context().
  std::vector<Term> context_terms(Fields context) const;
  /// A name for every slot.
  std::vector<std::string> column_names() const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

}  // namespace neuralts
#pragma GCC visibility pop
