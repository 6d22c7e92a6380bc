#include "serve/answer_text.hpp"

#include <algorithm>
#include <numeric>

#include "log/json_text.hpp"
#include "serve/event_id.hpp"

namespace neuralts::serve {

namespace {

/// The chosen action first, the others by probability; of a baseline that was returned, the caller's own order.
void rank(const EventRecord& event, std::vector<std::uint32_t>& order) {
  order.resize(event.ids.size());
  std::iota(order.begin(), order.end(), 0U);
  std::rotate(order.begin(), order.begin() + event.chosen, order.begin() + event.chosen + 1);
  if (event.shadow) return;
  std::sort(order.begin() + 1, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return event.probabilities[a] != event.probabilities[b] ? event.probabilities[a] > event.probabilities[b]
                                                            : a < b;
  });
}

void append_ranking(std::string& out, const EventRecord& event) {
  thread_local std::vector<std::uint32_t> order;
  rank(event, order);
  out += R"("ranking":[)";
  for (const std::uint32_t k : order) {
    out += out.back() == '[' ? R"({"id":)" : R"(,{"id":)";
    append_text(out, event.ids[k]);
    out += R"(,"probability":)";
    append_number(out, event.probabilities[k]);
    out += '}';
  }
  out += ']';
}

float probability_of(const EventRecord& event) { return event.shadow ? 1.0F : event.probabilities[event.chosen]; }

std::size_t size_of(const EventRecord& event) {
  std::size_t size = 160;
  for (const auto& id : event.ids) size += id.size() + 40;
  return size;
}

void append_id(Told& told, std::string_view name) {
  if (!name.empty()) return append_text(told.text, name);
  told.text += '"';
  told.id_at = told.text.size();
  told.text.append(IdSigner::length, '0');
  told.text += '"';
}

}  // namespace

Told told(const EventRecord& event, std::string_view name, std::string_view acknowledged) {
  Told told;
  std::string& out = told.text;
  out.reserve(size_of(event) + name.size());
  out += R"({"event_id":)";
  append_id(told, name);
  out += R"(,"action":)";
  append_text(out, event.ids[event.chosen]);
  out += R"(,"probability":)";
  append_number(out, probability_of(event));
  out += ',';
  append_ranking(out, event);
  out += R"(,"model":)";
  append_number(out, event.model);
  out += R"(,"acknowledged":")";
  out += acknowledged;
  out += R"("})";
  return told;
}

Told told_to_personalizer(const EventRecord& event, std::string_view name) {
  Told told;
  std::string& out = told.text;
  out.reserve(size_of(event) + name.size());
  out += '{';
  append_ranking(out, event);
  out += R"(,"eventId":)";
  append_id(told, name);
  out += R"(,"rewardActionId":)";
  append_text(out, event.ids[event.chosen]);
  out += '}';
  return told;
}

void append_slot(std::string& out, std::string_view slot, const EventRecord& event, bool personalizer) {
  out += R"({"id":)";
  append_text(out, slot);
  out += personalizer ? R"(,"rewardActionId":)" : R"(,"action":)";
  append_text(out, event.ids[event.chosen]);
  if (!personalizer) out += R"(,"probability":)", append_number(out, probability_of(event));
  out += '}';
}

}  // namespace neuralts::serve
