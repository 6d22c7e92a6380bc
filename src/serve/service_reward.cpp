// Rewards and activations: found by the event's id, applied once.
#include <fmt/format.h>

#include "serve/service_call.hpp"

namespace neuralts::serve {

namespace {

constexpr const char* activation_key = "\x1f" "activated";

constexpr const char* usual_outcome = "applied";

/// What became of a reward, in one word.
const char* outcome_of(const Entry& entry, bool late) {
  switch (entry.outcome) {
    case Outcome::stored: return late ? "late" : usual_outcome;
    case Outcome::duplicate: return "duplicate";
    case Outcome::forwarded: return "accepted";
    default: return "unknown";
  }
}

[[noreturn]] void refuse_unknown(const Entry& entry, const std::string& id) {
  if (entry.outcome == Outcome::ambiguous)
    throw Problem(409, "event_id", fmt::format("'{}' is an event of several loops: say which with ?loop=NAME", id));
  throw Problem(404, "event_id", fmt::format("there is no event '{}'", id));
}

bool was_late(const Entry& entry, const LoopRuntime* runtime) {
  if (runtime == nullptr || entry.outcome != Outcome::stored) return false;
  return entry.time_us >= entry.event_time_us + runtime->loop.current()->config.window_us;
}

}  // namespace

/// Points an entry at the event called `id`. False: it has the form of a service's id and a wrong signature.
bool Service::aim(Call&, const std::string& id, Entry& entry) {
  if (!IdSigner::has_form(id)) {
    check_id(id, "event_id", options_.body.id_bytes_max);
    entry.name = id;
    return true;
  }
  const auto event = signer_->parse(id);
  if (!event || (event->writer != 0 && !options_.several)) return false;
  entry.target = event->sequence;
  entry.writer = event->writer;
  return true;
}

std::string Service::rewarded_text(const char* outcome) const {
  return fmt::format(R"({{"{}":true,"acknowledged":"{}"}})", outcome, options_.acknowledged);
}

void Service::reward_one(Call& call, const std::string& id, RewardBody body, std::uint32_t loop,
                         bool personalizer) {
  std::vector<Entry> entries(1);
  Entry& entry = entries[0];
  entry.kind = Kind::reward;
  entry.loop = loop;
  entry.key = body.key;
  entry.payload = encode(RewardRecord{body.rewards.front().value});
  if (!aim(call, id, entry)) {
    metrics_.loop("").rewarded("forged");
    throw Problem(404, "event_id", "the id was not made by this service");
  }
  submit(call, std::move(entries), [this, id, personalizer,
                                    usual = rewarded_text(usual_outcome)](std::span<Entry> stored) mutable {
    const auto runtime = find(stored[0].event_loop);
    const char* outcome = outcome_of(stored[0], was_late(stored[0], runtime.get()));
    (runtime ? runtime->meters : metrics_.loop("")).rewarded(outcome);
    if (stored[0].outcome == Outcome::unknown || stored[0].outcome == Outcome::ambiguous)
      refuse_unknown(stored[0], id);
    if (personalizer) return Answer{204, "application/json", "", {}};
    return Answer{200, "application/json", outcome == usual_outcome ? std::move(usual) : rewarded_text(outcome), {}};
  });
}

void Service::activate(Call& call, const std::string& id, std::uint32_t loop, bool personalizer) {
  std::vector<Entry> entries(1);
  Entry& entry = entries[0];
  entry.kind = Kind::activation;
  entry.loop = loop;
  entry.key = activation_key;
  if (!aim(call, id, entry)) throw Problem(404, "event_id", "the id was not made by this service");
  submit(call, std::move(entries), [this, id, personalizer](std::span<Entry> stored) {
    if (stored[0].outcome == Outcome::unknown || stored[0].outcome == Outcome::ambiguous)
      refuse_unknown(stored[0], id);
    if (personalizer) return Answer{204, "application/json", "", {}};
    const char* word = stored[0].outcome == Outcome::duplicate ? "duplicate" : "activated";
    return Answer{200,
                  "application/json",
                  fmt::format(R"({{"{}":true,"acknowledged":"{}"}})", word, options_.acknowledged),
                  {}};
  });
}

void Service::reward_slots(Call& call, const std::string& id, RewardBody body, std::uint32_t loop) {
  check_id(id, "event_id", options_.body.id_bytes_max);
  std::vector<Entry> entries;
  for (const SlotReward& reward : body.rewards) {
    Entry& entry = entries.emplace_back();
    entry.kind = Kind::reward;
    entry.loop = loop;
    entry.key = body.key;
    entry.name = slot_name(id, reward.slot);
    entry.payload = encode(RewardRecord{reward.value});
  }
  const bool personalizer = call.personalizer;
  submit(call, std::move(entries), [this, id, personalizer](std::span<Entry> stored) {
    const char* outcome = usual_outcome;
    for (const Entry& entry : stored) {
      const auto runtime = find(entry.event_loop);
      outcome = outcome_of(entry, was_late(entry, runtime.get()));
      (runtime ? runtime->meters : metrics_.loop("")).rewarded(outcome);
      if (entry.outcome == Outcome::ambiguous) refuse_unknown(entry, id);
      if (entry.outcome == Outcome::unknown)
        throw Problem(404, "slot", fmt::format("event '{}' is not there, or has no slot '{}'", id, slot_of(entry.name)));
    }
    if (personalizer) return Answer{204, "application/json", "", {}};
    return Answer{200, "application/json", rewarded_text(outcome), {}};
  });
}

void Service::call_reward(Call& call) {
  const std::string name = call.query_value("loop");
  const std::uint32_t loop = name.empty() ? 0 : find(name)->loop.id();
  RewardBody body = call.worker.parser.reward(call.request.body);
  if (!body.rewards.front().slot.empty()) return reward_slots(call, call.parts[0], std::move(body), loop);
  reward_one(call, call.parts[0], std::move(body), loop, false);
}

void Service::call_activate(Call& call) {
  const std::string name = call.query_value("loop");
  activate(call, call.parts[0], name.empty() ? 0 : find(name)->loop.id(), false);
}

}  // namespace neuralts::serve
