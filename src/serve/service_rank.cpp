// Decisions: what a body offers becomes an event in the journal, and then an answer.
#include <fmt/format.h>

#include "serve/answer_text.hpp"
#include "serve/field_bytes.hpp"
#include "serve/service_call.hpp"

namespace neuralts::serve {

namespace {

void keep_features(const Offered& offered, double share, Stream& seeds, EventRecord& record) {
  record.form = offered.form;
  record.length = offered.length;
  record.kept = static_cast<float>(share);
  const bool all = share >= 1 || seeds.uniform() < share;
  record.chosen_only = !all;
  record.vectors.clear();
  record.objects.clear();
  if (record.form == Form::objects) {
    record.objects = all ? field_bytes(offered.objects) : field_bytes_of(offered.objects, record.chosen);
    return;
  }
  const auto row = offered.vectors.begin() + static_cast<std::ptrdiff_t>(record.chosen * record.length);
  if (all)
    record.vectors = offered.vectors;
  else
    record.vectors.assign(row, row + record.length);
}

/// A length that was configured holds before there is a model, too.
void check_length(const LoopConfig& config, const Offered& offered) {
  if (config.length == 0 || offered.length == config.length) return;
  throw Problem(422, offered.form == Form::vectors ? "actions[0].vector" : "actions",
                fmt::format("this loop takes vectors of {} numbers", config.length));
}

/// Sent again: the first decision holds. `others`: what came of the rest of a batch.
EventRecord first_decision(const Entry& entry, const char* others) {
  EventRecord first = decode_event(entry.first_payload);
  if (first.ids != decode_event(entry.payload).ids || first.slots > 1)
    throw Problem(409, "event_id", fmt::format("'{}' has been decided over other actions{}", entry.name, others));
  return first;
}

std::string list_of(const std::vector<Told>& texts) {
  std::string out = "[";
  for (const Told& told : texts) {
    if (out.size() > 1) out += ',';
    out += told.text;
  }
  return out + ']';
}

}  // namespace

/// REQUIRES a record whose slots are those of one slot, or fresh.
void Service::decide_into(const LoopRuntime& runtime, const RankBody& body, Worker& worker,
                          EventRecord& record) const {
  const auto current = runtime.loop.current();
  const auto published = runtime.loop.published();
  check_length(current->config, body.offered);
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
  record.estimated = worker.verdict.estimated;
  record.ids = body.offered.ids;
  record.excluded = body.offered.excluded;
  keep_features(body.offered, current->config.keep_features, worker.seeds, record);
}

std::string Service::id_of(const Entry& entry) const {
  return entry.name.empty() ? signer_->text({writer_, entry.sequence}) : entry.name;
}

void Service::count_decisions(const LoopRuntime& runtime, std::size_t events, std::int64_t start_us) {
  const std::int64_t now_us = clock_.ticks_us();
  latency_.add(now_us - start_us, now_us);
  runtime.meters.decided(events, static_cast<double>(now_us - start_us) / 1e6);
}

void Service::rank_all(Call& call, const std::shared_ptr<LoopRuntime>& runtime, std::span<RankBody> bodies,
                       bool batch, bool personalizer) {
  const auto tell = [this, personalizer](const EventRecord& event, const std::string& name) {
    return personalizer ? told_to_personalizer(event, name) : told(event, name, options_.acknowledged);
  };
  std::vector<Entry> entries(bodies.size());
  std::vector<Told> texts;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    check_own_id(bodies[i].event_id);
    decide_into(*runtime, bodies[i], call.worker, call.worker.record);
    entries[i].loop = runtime->loop.id();
    entries[i].name = bodies[i].event_id;
    entries[i].payload = encode(call.worker.record);
    texts.push_back(tell(call.worker.record, entries[i].name));
  }
  submit(call, std::move(entries),
         [this, runtime, tell, texts = std::move(texts), batch, personalizer,
          start_us = call.start_us](std::span<Entry> stored) mutable {
           const char* others = stored.size() > 1 ? "; the batch's other events are stored" : "";
           std::size_t repeats = 0;
           for (std::size_t i = 0; i < stored.size(); ++i) {
             const Entry& entry = stored[i];
             if (entry.outcome == Outcome::duplicate) texts[i] = tell(first_decision(entry, others), entry.name), ++repeats;
             if (entry.name.empty())
               signer_->write({writer_, entry.sequence}, texts[i].text.data() + texts[i].id_at);
           }
           count_decisions(*runtime, stored.size() - repeats, start_us);
           return Answer{personalizer ? 201 : 200,
                         "application/json",
                         batch ? list_of(texts) : std::move(texts[0].text),
                         {}};
         });
}

void Service::call_rank(Call& call) {
  const auto runtime = find(call.parts[0]);
  if (has_type(call.request, binary_type)) {
    RankBody& body = call.worker.parser.rank_binary(call.request.body);
    body.event_id = call.query_value("event_id");
    if (!body.event_id.empty()) check_id(body.event_id, "event_id", options_.body.id_bytes_max);
    return rank_all(call, runtime, {&body, 1}, false, false);
  }
  bool batch = false;
  const auto bodies = call.worker.parser.rank(call.request.body, batch);
  rank_all(call, runtime, bodies, batch, false);
}

}  // namespace neuralts::serve
