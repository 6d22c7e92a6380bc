// Events of every kind for the tests of the log.
#pragma once

#include "neuralts/event.hpp"
#include "neuralts/random.hpp"

namespace neuralts {

inline std::vector<double> random_probabilities(Stream& stream, std::size_t arms) {
  std::vector<double> p(arms);
  double total = 0;
  for (double& value : p) total += value = 0.05 + stream.uniform();
  for (double& value : p) value /= total;
  return p;
}

enum class Offered { vectors, shared, objects };

inline Event sample_event(Stream& stream, std::size_t number, Offered kind) {
  Event event;
  event.id = "e" + std::to_string(number);
  event.time = 1.7e9 + static_cast<double>(number) + 0.25;
  event.model = "model \"7\"";
  const std::size_t arms = 1 + stream.below(4);
  event.set_arms(arms);
  event.arm = stream.below(arms);
  event.probabilities = random_probabilities(stream, arms);
  event.estimated = number % 3 == 0;
  event.kept = number % 5 == 0 ? 0.25 : 1;
  if (number % 2 == 0) event.reward = stream.normal();
  if (kind == Offered::objects) {
    event.offer.objects.start_row();
    event.offer.objects.add(Field::of("country", number % 2 == 0 ? "DE" : "\xC3\x84\x01\"\\ |:x"));
    event.offer.objects.add(Field::of("hour", stream.uniform() * 24));
    event.offer.objects.add(Field::truth_of("member", number % 4 == 1));
    event.offer.objects.add(Field::missing_of("city"));
    for (std::size_t k = 0; k < arms; ++k) {
      event.actions.push_back("item" + std::to_string(stream.below(30)));
      event.offer.objects.start_row();
      event.offer.objects.add(Field::of("id", event.actions.back()));
      event.offer.objects.add(Field::of("tags", "new"));
      event.offer.objects.add(Field::of("tags", "red"));
      event.offer.objects.add(Field::of("user.age", stream.normal()));
    }
    return event;
  }
  event.offer.length = 3;
  if (kind == Offered::shared)
    for (std::size_t k = 0; k < arms; ++k) event.offer.blocks.push_back(static_cast<std::uint32_t>(2 * k + 1));
  for (std::size_t i = 0; i < 3 * (kind == Offered::shared ? 1 : arms); ++i)
    event.offer.numbers.push_back(stream.normal());
  return event;
}

inline bool same(const Event& a, const Event& b) {
  return a.id == b.id && a.time == b.time && a.model == b.model && a.actions == b.actions && a.arm == b.arm &&
         a.arms() == b.arms() && a.probabilities == b.probabilities && a.estimated == b.estimated &&
         a.reward == b.reward && a.kept == b.kept && a.offer.numbers == b.offer.numbers &&
         a.offer.length == b.offer.length && a.offer.blocks == b.offer.blocks &&
         a.offer.objects == b.offer.objects;
}

}  // namespace neuralts
