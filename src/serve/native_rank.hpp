// The native dialect's event:
// {"context":{...},"actions":[{"id","features"|"vector"}],"excluded":[...],"event_id","defer","slots"}.
#pragma once

#include "serve/bodies_json.hpp"

namespace neuralts::serve {

class NativeRank {
 public:
  NativeRank(const BodyLimits& limits, const Place& place, RankBody& out)
      : limits_(limits), place_(place), out_(out) {}
  /// Throws Problem that names the field.
  void read(const Element& root, bool slots);

 private:
  void take(std::string_view key, const Element& value, bool slots);
  void read_context();
  void read_actions();
  void read_action(const Object& action, std::size_t k);
  void read_vector(const Array& values, const Place& place, std::size_t k);
  void read_slots();
  void read_slot(const Object& slot, const Positions& positions);

  const BodyLimits& limits_;
  const Place& place_;  // in the body: nowhere, or "[3]" of a batch
  RankBody& out_;
  std::optional<Element> context_, actions_, excluded_, slots_;
};

}  // namespace neuralts::serve
