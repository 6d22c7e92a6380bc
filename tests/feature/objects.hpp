// Small objects for the tests: a shop's visitor and items.
#pragma once

#include <initializer_list>
#include <string>

#include "neuralts/feature.hpp"
#include "neuralts/random.hpp"

namespace neuralts {

inline FieldTable objects(std::initializer_list<Field> context,
                          std::initializer_list<std::initializer_list<Field>> actions) {
  FieldTable table;
  table.add_row({context.begin(), context.size()});
  for (const auto& action : actions) table.add_row({action.begin(), action.size()});
  return table;
}

/// A visitor with a country, an hour, a membership and tags, and `items` items with an id and a price.
inline FieldTable visit(Stream& stream, std::size_t items, std::size_t ids = 20) {
  const char* countries[] = {"DE", "FR", "US", "IT"};
  const char* tags[] = {"new", "red", "sale"};
  FieldTable table;
  table.start_row();
  table.add(Field::of("country", countries[stream.below(4)]));
  table.add(Field::of("hour", static_cast<double>(stream.below(24))));
  table.add(Field::truth_of("member", stream.below(2) == 1));
  table.add(Field::of("tags", tags[stream.below(3)]));
  table.add(Field::of("tags", tags[stream.below(3)]));
  for (std::size_t i = 0; i < items; ++i) {
    table.start_row();
    table.add(Field::of("id", "item" + std::to_string(stream.below(ids))));
    table.add(Field::of("price", 10 + 3 * stream.normal()));
  }
  return table;
}

inline Schema learned_schema(std::size_t events = 300, FeatureSettings settings = {}, std::size_t ids = 20) {
  Stream stream(1, Purpose::environment);
  SchemaLearner learner(std::move(settings));
  for (std::size_t i = 0; i < events; ++i) learner.see(visit(stream, 3, ids));
  return learner.schema();
}

inline std::vector<double> encoded(const Encoder& encoder, const FieldTable& table) {
  std::vector<double> out((table.rows() - 1) * encoder.length());
  encoder.encode(table, out);
  return out;
}

}  // namespace neuralts
