// Decisions over several slots: one event per slot, what an earlier slot has taken is not offered again.
#include <fmt/format.h>

#include <algorithm>

#include "log/json_text.hpp"
#include "serve/answer_text.hpp"
#include "serve/service_call.hpp"

namespace neuralts::serve {

namespace {

/// Which actions are not for this slot; the baseline is its own, or the first one that is left.
void offer_for_slot(const SlotBody& slot, std::size_t index, const std::vector<bool>& taken, RankBody& body) {
  auto& excluded = body.offered.excluded;
  excluded.clear();
  for (std::uint32_t k = 0; k < taken.size(); ++k)
    if (taken[k] || std::binary_search(slot.excluded.begin(), slot.excluded.end(), k)) excluded.push_back(k);
  if (excluded.size() == taken.size())
    throw Problem(422, fmt::format("slots[{}]", index), "no action is left for it");
  body.baseline = slot.baseline;
  for (std::uint32_t k = 0; std::binary_search(excluded.begin(), excluded.end(), body.baseline); ++k)
    body.baseline = k;
}

/// The objects of the event with the slot's own features in the context.
FieldTable objects_for_slot(const FieldTable& objects, const SlotBody& slot) {
  FieldTable out;
  for (std::size_t row = 0; row < objects.rows(); ++row) {
    out.add_row(objects.row(row));
    if (row > 0 || slot.features.empty()) continue;
    for (const Field& field : slot.features.row(0)) out.add(field);
  }
  return out;
}

/// What was decided, or had been: the first decision holds, and must be of the same slots over the same actions.
std::vector<EventRecord> decided(std::span<const Entry> stored, const std::string& event_id) {
  const bool again = stored[0].outcome == Outcome::duplicate;
  std::vector<EventRecord> events;
  for (const Entry& entry : stored) {
    const EventRecord asked = decode_event(entry.payload);
    events.push_back(again && entry.outcome == Outcome::duplicate ? decode_event(entry.first_payload) : asked);
    const EventRecord& event = events.back();
    if ((entry.outcome == Outcome::duplicate) != again || event.ids != asked.ids || event.slots != asked.slots ||
        event.slot_ids != asked.slot_ids)
      throw Problem(409, "event_id", fmt::format("'{}' has been decided over other slots or actions", event_id));
  }
  return events;
}

}  // namespace

std::vector<Entry> Service::decide_slots(const LoopRuntime& runtime, RankBody& body, Worker& worker,
                                         std::vector<std::string>& slot_ids) const {
  std::vector<Entry> entries(body.slots.size());
  std::vector<bool> taken(body.offered.ids.size());
  for (const auto& slot : body.slots) slot_ids.push_back(slot.id);
  const FieldTable objects = body.offered.objects;
  for (std::size_t i = 0; i < body.slots.size(); ++i) {
    const SlotBody& slot = body.slots[i];
    offer_for_slot(slot, i, taken, body);
    if (body.offered.form == Form::objects) body.offered.objects = objects_for_slot(objects, slot);
    EventRecord record;
    decide_into(runtime, body, worker, record);
    record.slots = static_cast<std::uint32_t>(body.slots.size() - i);
    if (i == 0) record.slot_ids = slot_ids;
    entries[i].loop = runtime.loop.id();
    entries[i].name = i == 0 ? body.event_id : slot_name(body.event_id, slot.id);
    if (i == 0) entries[i].alias = slot_name(body.event_id, slot.id);
    entries[i].payload = encode(record);
    taken[record.chosen] = true;
  }
  return entries;
}

void Service::rank_slots(Call& call, const std::shared_ptr<LoopRuntime>& runtime, RankBody& body,
                         bool personalizer) {
  check_own_id(body.event_id);
  if (body.event_id.empty())
    body.event_id = fmt::format("{:016x}{:016x}", call.worker.seeds.bits64(), call.worker.seeds.bits64());
  std::vector<std::string> slots;
  auto entries = decide_slots(*runtime, body, call.worker, slots);
  submit(call, std::move(entries),
         [this, runtime, slots, personalizer, id = body.event_id,
          start_us = call.start_us](std::span<Entry> stored) {
           const auto events = decided(stored, id);
           std::string out = R"({"slots":[)";
           for (std::size_t i = 0; i < events.size(); ++i) {
             if (i > 0) out += ',';
             append_slot(out, slots[i], events[i], personalizer);
           }
           out += personalizer ? R"(],"eventId":)" : R"(],"event_id":)";
           append_text(out, id_of(stored[0]));
           if (!personalizer)
             out += fmt::format(R"(,"model":{},"acknowledged":"{}")", events[0].model, options_.acknowledged);
           count_decisions(*runtime, stored[0].outcome == Outcome::duplicate ? 0 : 1, start_us);
           return Answer{personalizer ? 201 : 200, "application/json", out + "}", {}};
         });
}

void Service::call_slots(Call& call) {
  const auto runtime = find(call.parts[0]);
  rank_slots(call, runtime, call.worker.parser.slots(call.request.body), false);
}

}  // namespace neuralts::serve
