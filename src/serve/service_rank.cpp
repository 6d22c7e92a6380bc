// Decisions: what a body offers becomes an event in the journal, and then an answer.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "serve/json_text.hpp"
#include "serve/service_call.hpp"

namespace neuralts::serve {

namespace {

void keep_features(const RankBody& body, double share, Stream& seeds, EventRecord& record) {
  record.form = body.offered.form;
  record.length = body.offered.length;
  record.kept = static_cast<float>(share);
  const bool all = share >= 1 || seeds.uniform() < share;
  record.chosen_only = !all;
  if (record.form == Form::vectors) {
    const auto row = body.offered.vectors.begin() + static_cast<std::ptrdiff_t>(record.chosen * record.length);
    if (all)
      record.vectors = body.offered.vectors;
    else
      record.vectors.assign(row, row + record.length);
  } else {
    record.objects = all ? body.objects : only_action(body.objects, record.chosen);
  }
}

/// The chosen action first, the others by probability.
std::vector<std::uint32_t> ranked(const EventRecord& event) {
  std::vector<std::uint32_t> order(event.ids.size());
  std::iota(order.begin(), order.end(), 0U);
  if (event.shadow) {  // the caller's own order, the baseline first
    std::rotate(order.begin(), order.begin() + event.chosen, order.begin() + event.chosen + 1);
    return order;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if ((a == event.chosen) != (b == event.chosen)) return a == event.chosen;
    return event.probabilities[a] > event.probabilities[b];
  });
  return order;
}

void put_ranking(std::string& out, const EventRecord& event) {
  out += R"("ranking":[)";
  bool first = true;
  for (const std::uint32_t k : ranked(event)) {
    out += first ? R"({"id":)" : R"(,{"id":)";
    put_quoted(out, event.ids[k]);
    out += R"(,"probability":)";
    put_number(out, event.probabilities[k]);
    out += '}';
    first = false;
  }
  out += ']';
}

void put_event(std::string& out, const std::string& id, const EventRecord& event, const char* acknowledged) {
  out += R"({"event_id":)";
  put_quoted(out, id);
  out += R"(,"action":)";
  put_quoted(out, event.ids[event.chosen]);
  out += R"(,"probability":)";
  put_number(out, event.shadow ? 1.0F : event.probabilities[event.chosen]);
  out += ',';
  put_ranking(out, event);
  out += fmt::format(R"(,"model":{},"acknowledged":"{}"}})", event.model, acknowledged);
}

void put_personalizer_event(std::string& out, const std::string& id, const EventRecord& event) {
  out += '{';
  put_ranking(out, event);
  out += R"(,"eventId":)" + quoted(id) + R"(,"rewardActionId":)" + quoted(event.ids[event.chosen]) + '}';
}

}  // namespace

/// What is told once the entries are stored.
struct Service::Ranked {
  std::vector<EventRecord> events;
  std::vector<std::string> slots;
};

Entry Service::decided(const LoopRuntime& runtime, RankBody& body, Worker& worker, EventRecord& record) {
  if (IdSigner::has_form(body.event_id)) throw Problem(422, "event_id", "this is the form of the service's own ids: choose another");
  const auto current = runtime.loop.current();
  const auto published = runtime.loop.published();
  record.revision = current->revision;
  record.model = published->version;
  record.seed = worker.seeds.bits64();
  record.deferred = body.defer;
  record.baseline = body.baseline;
  decide(*published, body.offered, current->config.exploration, record.seed, worker.workspace, worker.verdict);
  record.preferred = worker.verdict.action;
  record.shadow = current->config.mode != Mode::online;
  record.chosen = record.shadow ? record.baseline : record.preferred;
  record.predicted = static_cast<float>(worker.verdict.mean[record.chosen]);
  record.width = static_cast<float>(worker.verdict.width[record.chosen]);
  record.probabilities = worker.verdict.probabilities;
  record.ids = body.offered.ids;
  record.excluded = body.offered.excluded;
  keep_features(body, current->config.keep_features, worker.seeds, record);
  Entry entry;
  entry.loop = runtime.loop.id();
  entry.name = body.event_id;
  entry.payload = encode(record);
  return entry;
}

std::string Service::id_of(const Entry& entry) const {
  return entry.name.empty() ? signer_->text({0, entry.sequence}) : entry.name;
}

void Service::rank_all(Call& call, const std::shared_ptr<LoopRuntime>& runtime, std::span<RankBody> bodies, bool batch,
                       bool personalizer) {
  auto ranked = std::make_shared<Ranked>();
  std::vector<Entry> entries;
  ranked->events.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) entries.push_back(decided(*runtime, bodies[i], call.worker, ranked->events[i]));
  submit(call, std::move(entries), [this, runtime, ranked, batch, personalizer, start_us = call.start_us](std::span<Entry> stored) {
    std::string out = batch ? "[" : "";
    for (std::size_t i = 0; i < stored.size(); ++i) {
      EventRecord& event = ranked->events[i];
      if (stored[i].outcome == Outcome::duplicate) {  // sent again: the first decision holds
        EventRecord first = decode_event(stored[i].first_payload);
        if (first.ids != event.ids) throw Problem(409, "event_id", fmt::format("'{}' has been decided over other actions", stored[i].name));
        event = std::move(first);
      }
      if (i > 0) out += ',';
      if (personalizer)
        put_personalizer_event(out, id_of(stored[i]), event);
      else
        put_event(out, id_of(stored[i]), event, options_.acknowledged);
    }
    const std::int64_t now_us = clock_.ticks_us();
    latency_.add(now_us - start_us, now_us);
    runtime->meters.decided(stored.size(), static_cast<double>(now_us - start_us) / 1e6);
    return Answer{personalizer ? 201 : 200, "application/json", out + (batch ? "]" : ""), {}};
  });
}

/// One decision per slot, in order; what an earlier slot has taken is not offered again.
void Service::decide_slots(const LoopRuntime& runtime, RankBody& body, Worker& worker, Ranked& ranked, std::vector<Entry>& entries) {
  const std::string id = body.event_id;
  std::vector<bool> taken(body.offered.ids.size());
  for (const auto& slot : body.slots) ranked.slots.push_back(slot.id);
  for (std::size_t i = 0; i < body.slots.size(); ++i) {
    const SlotBody& slot = body.slots[i];
    body.offered.excluded.clear();
    for (std::uint32_t k = 0; k < taken.size(); ++k)
      if (taken[k] || std::binary_search(slot.excluded.begin(), slot.excluded.end(), k)) body.offered.excluded.push_back(k);
    const auto& out = body.offered.excluded;
    if (out.size() == taken.size()) throw Problem(422, fmt::format("slots[{}]", i), "no action is left for it");
    body.baseline = slot.baseline;
    for (std::uint32_t k = 0; std::binary_search(out.begin(), out.end(), body.baseline); ++k) body.baseline = k;
    body.event_id = i == 0 ? id : slot_name(id, slot.id);
    EventRecord& record = ranked.events.emplace_back();
    Entry entry = decided(runtime, body, worker, record);
    record.slots = static_cast<std::uint32_t>(body.slots.size() - i);
    if (i == 0) record.slot_ids = ranked.slots;
    if (i == 0) entry.alias = slot_name(id, slot.id);
    entry.payload = encode(record);
    entries.push_back(std::move(entry));
    taken[record.chosen] = true;
  }
}

void Service::rank_slots(Call& call, const std::shared_ptr<LoopRuntime>& runtime, RankBody& body, bool personalizer) {
  auto ranked = std::make_shared<Ranked>();
  if (body.event_id.empty()) body.event_id = fmt::format("{:016x}{:016x}", call.worker.seeds.bits64(), call.worker.seeds.bits64());
  std::vector<Entry> entries;
  decide_slots(*runtime, body, call.worker, *ranked, entries);
  submit(call, std::move(entries), [this, runtime, ranked, personalizer, start_us = call.start_us](std::span<Entry> stored) {
    const std::string id = id_of(stored[0]);
    std::string out = R"({"slots":[)";
    for (std::size_t i = 0; i < stored.size(); ++i) {
      EventRecord& event = ranked->events[i];
      if (stored[i].outcome == Outcome::duplicate) event = decode_event(stored[i].first_payload);
      out += i > 0 ? "," : "";
      out += R"({"id":)" + quoted(ranked->slots[i]);
      out += (personalizer ? R"(,"rewardActionId":)" : R"(,"action":)") + quoted(event.ids[event.chosen]);
      if (!personalizer) out += R"(,"probability":)", put_number(out, event.shadow ? 1.0F : event.probabilities[event.chosen]);
      out += '}';
    }
    out += personalizer ? R"(],"eventId":)" : R"(],"event_id":)";
    out += quoted(id);
    if (!personalizer) out += fmt::format(R"(,"model":{},"acknowledged":"{}")", ranked->events[0].model, options_.acknowledged);
    const std::int64_t now_us = clock_.ticks_us();
    latency_.add(now_us - start_us, now_us);
    runtime->meters.decided(1, static_cast<double>(now_us - start_us) / 1e6);
    return Answer{personalizer ? 201 : 200, "application/json", out + "}", {}};
  });
}

void Service::call_rank(Call& call) {
  const auto runtime = find(call.parts[0]);
  if (call.request.content_type.starts_with("application/octet-stream")) {
    RankBody& body = call.worker.parser.rank_binary(call.request.body);
    body.event_id = call.query_value("event_id");
    if (!body.event_id.empty()) check_id(body.event_id, "event_id", options_.body.id_bytes_max);
    return rank_all(call, runtime, {&body, 1}, false, false);
  }
  bool batch = false;
  const auto bodies = call.worker.parser.rank(call.request.body, batch);
  rank_all(call, runtime, bodies, batch, false);
}

void Service::call_slots(Call& call) {
  const auto runtime = find(call.parts[0]);
  rank_slots(call, runtime, call.worker.parser.slots(call.request.body), false);
}

}  // namespace neuralts::serve
