// Sessions and schemas as functions of bytes: read, or refused with an Error; anything else is a bug.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/sealed_bytes.hpp"
#include "neuralts/feature.hpp"
#include "neuralts/session.hpp"

namespace neuralts::fuzz {

inline constexpr std::size_t longest = 4096;  // numbers that are computed with here

/// What the sessions to begin with are asked, too.
inline FieldTable visit(const char* country, const char* second = "b") {
  FieldTable table;
  table.start_row();
  table.add(Field::of("country", country));
  table.add(Field::of("age", country[0] == 'D' ? 31.0 : 47.0));
  for (const char* id : {"a", second}) {
    table.start_row();
    table.add(Field::of("id", id));
  }
  return table;
}

inline void ask(Session& session, const FieldTable& objects) {
  try {
    const Choice choice = session.select(objects, 100);
    double sum = 0;
    for (const double probability : choice.decision.probabilities) sum += probability;
    if (choice.arm > 1 || !(std::abs(sum - 1) < 1e-3)) throw std::logic_error("a choice is not sound");
    session.reward(choice.event_id, 0.5, 101);
    if (session.schema() != nullptr) session.explain(objects, choice.arm).to_text();
  } catch (const ContractError&) {
  }
}

/// What it takes memory for as soon as it is used.
inline std::size_t size_of(const Session& session) {
  const SessionSpec& spec = session.spec();
  if (spec.most_arms > longest) return spec.most_arms;
  std::size_t numbers = session.policy() != nullptr ? session.policy()->spec().shape.length
                                                    : spec.features.size;
  for (const auto* part : {&spec.features.context, &spec.features.action})
    for (const Feature& feature : *part) numbers += feature.slots();
  return numbers * (1 + spec.most_arms);
}

/// A session that was read decides, learns and forgets, or says why it cannot.
inline void use(Session& session) {
  if (size_of(session) > longest) return;
  ask(session, visit("DE"));
  session.retire("a");
  ask(session, visit("FR", "c"));
  ask(session, visit("DE", "d"));
  try {
    session.expire(1e9, 0, 0.0);
  } catch (const ContractError&) {
  }
}

/// It is the same when it is saved and read again. `parts`: of a session's body (sealed_bytes.hpp).
inline bool session(std::string_view parts) {
  static const auto real = Session({.policy = {.name = "random"}, .id_prefix = "s"}).to_bytes();
  try {
    Session session = Session::from_bytes(with_body(real, joined(parts)), "input");
    const auto saved = session.to_bytes();
    if (Session::from_bytes(saved, "saved").to_bytes() != saved)
      throw std::logic_error("a session changed by saving it");
    use(session);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// An object of which every field is known.
inline void add_object(const std::vector<Feature>& features, FieldTable& objects) {
  objects.start_row();
  for (const Feature& feature : features) {
    const bool number = feature.kind == FeatureKind::number || feature.kind == FeatureKind::truth;
    objects.add(number ? Field::of(feature.name, 1) : Field::of(feature.name, "x"));
  }
}

inline void encode(const Schema& schema) {
  if (schema.to_text().empty() || schema.length() > longest) return;
  FieldTable objects;
  add_object(schema.context, objects);
  for (int actions = 0; actions < 2; ++actions) add_object(schema.action, objects);
  try {
    const Encoder encoder(schema);
    std::vector<double> numbers(2 * encoder.length()), context(schema.context_length());
    encoder.encode(objects, numbers);
    encoder.encode_context(objects.row(0), context);
    for (const Term& term : encoder.terms(objects.row(0), objects.row(1)))
      numbers.at(term.slot) -= term.value;
    for (std::size_t i = 0; i < encoder.length(); ++i)
      if (!(std::abs(numbers[i]) <= 1e-6)) throw std::logic_error("an encoding is not the sum of its terms");
    if (encoder.column_names().size() != encoder.length()) throw std::logic_error("a number without a name");
  } catch (const ContractError&) {
  }
}

template <class Read>
bool is_read(const Read& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_spec) throw;
    return false;
  }
}

/// The text of a schema, or of how one comes about: the same when it is written and read again.
inline bool schema(std::string_view text) {
  const bool whole = is_read([&] {
    const Schema schema = Schema::from_json(text);
    if (Schema::from_json(schema.to_json()) != schema)
      throw std::logic_error("a schema changed by writing it");
    encode(schema);
  });
  const bool declared = is_read([&] {
    const FeatureSettings settings = parse_features(text);
    if (parse_features(settings.to_json()) != settings)
      throw std::logic_error("settings changed by writing them");
    SchemaLearner learner(settings);
    try {
      learner.see(visit("DE"));
      learner.see(visit("FR"));
    } catch (const ContractError&) {
    }
    encode(learner.schema());
  });
  return whole || declared;
}

}  // namespace neuralts::fuzz
