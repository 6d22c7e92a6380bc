// A small world for tests of sessions, and how it is played.
#pragma once

#include <string>

#include "feature/objects.hpp"
#include "neuralts/session.hpp"

namespace neuralts {

inline SessionSpec spec_of(const std::string& policy, std::size_t events = 64) {
  SessionSpec spec;
  spec.policy.name = policy;
  spec.features.events = events;
  spec.id_prefix = "s";
  return spec;
}

// A world where what pays depends on who asks: DE likes a, FR likes b.
inline FieldTable personal(Stream& stream) {
  FieldTable table;
  table.start_row();
  table.add(Field::of("country", stream.below(2) == 0 ? "DE" : "FR"));
  for (const char* id : {"a", "b"}) {
    table.start_row();
    table.add(Field::of("id", id));
  }
  return table;
}
inline double paid(const FieldTable& table, std::size_t arm) {
  return (table.row(0)[0].text == "DE") == (arm == 0) ? 1.0 : 0.0;
}

inline double earned(Session& session, std::size_t rounds, std::uint64_t seed = 1) {
  Stream stream(seed, Purpose::environment);
  double total = 0;
  for (std::size_t t = 0; t < rounds; ++t) {
    const FieldTable table = personal(stream);
    const Choice& choice = session.select(table, static_cast<double>(t));
    const double reward = paid(table, choice.arm);
    total += reward;
    session.reward(choice.event_id, reward, static_cast<double>(t));
  }
  return total;
}

}  // namespace neuralts
