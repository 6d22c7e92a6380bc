// Settling decisions, learning from them, and moving to a new schema.
#include <algorithm>
#include <cmath>

#include "base/most_told.hpp"
#include "neuralts/error.hpp"
#include "neuralts/limits.hpp"
#include "session/state.hpp"

namespace neuralts {

// The schema is brought up to date after a sixteenth and a quarter of its events, and frozen after all of them.
void Session::State::learn_schema_from(const FieldTable& objects) {
  learner->see(objects);
  const std::size_t seen = learner->events(), all = spec.features.events;
  if (seen != std::max<std::size_t>(1, all / 16) && seen != std::max<std::size_t>(1, all / 4) && seen < all) return;
  take_schema(learner->schema());
  if (seen >= all) freeze();
}

void Session::State::freeze() {
  learner.reset();
  early.clear();
  for (auto& [number, event] : open.all()) event.early = OpenEvent::none;
}

void Session::State::encode_chosen(const FieldTable& objects, std::size_t arm, std::span<double> out) const {
  const Fields action = objects.row(1 + arm);
  if (by_name())
    encoder->encode_context(objects.row(0), out);
  else
    encoder->encode(objects.row(0), {&action, 1}, out);
}

// Of a decision that was taken elsewhere, or before there was an encoder. An action that was not chosen may be one that it
// refuses: then nothing is told.
void Session::State::tell_offered(const FieldTable& objects) {
  if (by_name()) return;
  const std::size_t told = std::min(objects.rows() - 1, most_told);
  std::vector<double> rows(told * length());
  try {
    encoder->encode(objects, rows, told);
  } catch (const ContractError&) {
    return;
  }
  agent->policy().offered(Contexts::per_arm(rows, told));
}

// A policy of the new shape that has seen everything the old one has.
// Where it cannot be made, the old one stays with its schema.
void Session::State::take_schema(Schema schema) {
  Encoder wider(std::move(schema));
  PolicySpec fresh = spec.policy;
  fresh.shape = {length_in(wider), blocks_in_all()};
  Agent next(fresh);
  if (agent) next.stream() = agent->stream();
  encoder.emplace(std::move(wider));
  agent.emplace(std::move(next));
  spec.policy.shape = fresh.shape;
  kept.clear();

  std::vector<std::vector<double>> encoded(early.size());
  std::vector<std::uint32_t> places(early.size(), 0);
  std::vector<Finished> rounds;
  for (std::size_t i = 0; i < early.size(); ++i) {
    const auto place = by_name() ? arms.known(early[i].action) : std::optional<std::uint32_t>(0);
    if (!place) continue;  // its arm has made room for another
    places[i] = *place;
    encoded[i].resize(length());
    encode_chosen(early[i].objects, early[i].arm, encoded[i]);
    tell_offered(early[i].objects);
    agent->policy().played({encoded[i], places[i]});
    if (early[i].reward) rounds.push_back({{encoded[i], places[i]}, *early[i].reward});
  }
  if (!rounds.empty()) learn(rounds);
  for (auto& [number, event] : open.all())
    if (event.early != OpenEvent::none) {
      event.x = encoded[event.early];
      event.block = places[event.early];
    }
}

void Session::State::learn(std::span<const Finished> rounds) {
  agent->learn(rounds);
  if (by_name()) kept.add(rounds);
}

// The log first: what it refuses has not come, and may be told again.
void Session::State::take_as_paid(std::span<const OpenEvent* const> events, double reward, double time) {
  if (log)
    for (const OpenEvent* event : events) log->reward(event->id, reward, time);
  std::vector<Finished> rounds;
  for (const OpenEvent* event : events) {
    if (event->early != OpenEvent::none) early[event->early].reward = reward;
    if (!event->x.empty()) rounds.push_back({{event->x, event->block}, reward});
  }
  if (!rounds.empty()) learn(rounds);
}

// Blocks for the arms offered. An arm that takes another's block must not inherit what was learned there.
void Session::State::take_arms(const std::vector<std::string>& names) {
  blocks.assign(names.size(), 0);
  std::vector<std::uint32_t> reused;
  for (const bool known : {true, false})  // those that have a place keep it
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (known && !arms.known(names[k])) continue;
      const auto place = arms.take(names[k]);
      blocks[k] = place.block;
      if (place.reused) reused.push_back(place.block);
    }
  if (!reused.empty() && agent) relearn_without(reused);
}

// One by one, as they came: what was let go because it had become wrong is let go again.
void Session::State::relearn_without(std::span<const std::uint32_t> forgotten) {
  const auto is_forgotten = [&](std::uint32_t block) {
    return std::find(forgotten.begin(), forgotten.end(), block) != forgotten.end();
  };
  kept.forget(forgotten);
  Agent next(spec.policy);
  next.stream() = agent->stream();
  agent.emplace(std::move(next));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Finished round = kept[i];
    agent->policy().played(round.context);
    agent->learn({&round, 1});
  }
  for (const auto& [number, event] : open.all())
    if (!event.x.empty() && !is_forgotten(event.block)) agent->policy().played({event.x, event.block});
  // A reward still to come for a forgotten arm has nothing to be learned into.
  std::vector<std::string> gone;
  for (const auto& [number, event] : open.all())
    if (!event.x.empty() && is_forgotten(event.block)) gone.push_back(event.id);
  for (const auto& id : gone) open.settle(id, Settled::expired);
}

namespace {

// Also while no policy is there to refuse it: the first one would have to learn it.
void check_reward_of(const std::string& whose, double reward) {
  try {
    check_reward(reward);
  } catch (const ContractError& refused) {
    throw ContractError(whose + ": " + refused.what());
  }
}

}  // namespace

Settled Session::reward(const std::string& event_id, double reward, double time) {
  State& s = *state_;
  check_reward_of("event '" + event_id + "'", reward);
  if (!std::isfinite(time)) throw ContractError("the time of a reward is not finite");
  const OpenEvent* event = s.open.find(event_id);
  if (event == nullptr) return s.open.settled(event_id);
  s.take_as_paid({&event, 1}, reward, time);
  s.open.settle(event_id, Settled::duplicate);  // what a second one will be
  return Settled::learned;
}

std::size_t Session::expire(double now, double after, std::optional<double> reward) {
  State& s = *state_;
  if (!(after >= 0)) throw ContractError("after: at least 0 seconds are needed");
  if (!std::isfinite(now)) throw ContractError("now is not finite");
  if (reward) check_reward_of("what never came", *reward);
  std::vector<const OpenEvent*> due;
  for (const auto& [number, event] : s.open.all())
    if (now - event.time >= after) due.push_back(&event);
  if (reward) s.take_as_paid(due, *reward, now);
  for (const OpenEvent* event : due) s.open.settle(std::string(event->id), Settled::expired);
  return due.size();
}

bool Session::retire(const std::string& arm) { return state_->arms.retire(arm); }

}  // namespace neuralts
