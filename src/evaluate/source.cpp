#include "evaluate/source.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "neuralts/error.hpp"
#include "neuralts/limits.hpp"

namespace neuralts::evaluation {

namespace {

/// What of a decided event lies beyond `largest_number`; empty: nothing.
std::string beyond_limits(const Event& event) {
  if (!event.reward) return {};
  if (std::abs(*event.reward) > largest_number)
    return fmt::format("its reward {} is beyond 1e15", *event.reward);
  if (event.probability() * largest_number < 1)
    return fmt::format("the played action's probability {} is below 1e-15", event.probability());
  return {};
}

}  // namespace

Decisions::Decisions(EventSource& source, const Wanted& wanted) : source_(source), wanted_(wanted) {
  learn_schema();
  read_all();
  rewind();
}

Decisions::~Decisions() = default;

void Decisions::fail(const std::string& what, const std::string& hint) const {
  const std::string named = source_.place();
  throw Error(ErrorCode::bad_input, named.empty() ? "event " + std::to_string(place_) : named, what, hint);
}

void Decisions::fail(const FieldError& refused) const {
  fail(refused.what(), "a saved session that is judged takes no such object: judge without it, or mend the log");
}

void Decisions::rewind(std::string_view step) {
  source_.rewind();
  step_ = step;
  place_ = timeless_ = 0;
}

void Decisions::look() const {
  if (wanted_.stop && wanted_.stop()) throw Error(ErrorCode::unsupported, "evaluation", "was stopped");
  if (wanted_.progress) wanted_.progress({step_, place_, in_all_});
}

bool Decisions::next_wanted(Event& out) {
  constexpr std::size_t between_looks = 16;
  while (source_.next(out)) {
    if (++place_ % between_looks == 1) look();
    if (left_out_.contains(place_)) continue;
    const bool bounded = wanted_.since > 0 || wanted_.until > 0;
    if (bounded && out.time == 0) {
      ++timeless_;
      continue;
    }
    if (wanted_.since > 0 && out.time < wanted_.since) continue;
    if (wanted_.until > 0 && out.time >= wanted_.until) continue;
    return true;
  }
  return false;
}

bool Decisions::next(Event& out) {
  while (next_wanted(out))
    if (encoder_ == nullptr || out.offer.has_numbers() || encode(out)) return true;
  return false;
}

bool Decisions::encode(Event& out) {
  out.offer.length = encoder_->length();
  out.offer.numbers.resize(out.arms() * encoder_->length());
  try {
    encoder_->encode(out.offer.objects, out.offer.numbers);
    return true;
  } catch (const ContractError& refused) {
    leave_out_unlike(refused.what());
    return false;
  }
}

void Decisions::learn_schema() {
  SchemaLearner learner;
  const std::size_t enough = FeatureSettings{}.events;
  Event event;
  rewind("learning the features");
  while (learner.events() < enough && next_wanted(event)) {
    if (event.offer.has_numbers()) return;
    if (!event.offer.has_objects()) continue;
    try {
      learner.see(event.offer.objects);
    } catch (const ContractError& refused) {
      leave_out_unlike(refused.what());
    }
  }
  if (learner.events() > 0) encoder_ = std::make_unique<Encoder>(learner.schema());
}

void Decisions::leave_out(std::size_t& count, const std::string& why, const std::string& hint) {
  if (!wanted_.skip_bad) fail(why, hint);
  left_out_.insert(place_);
  ++count;
}

void Decisions::leave_out_unlike(const std::string& why) {
  leave_out(survey_.unlike, why, "the events before it are of another kind: mend the log, or skip what is bad");
}

void Decisions::note(const Event& event) {
  if (!event.offer.has_numbers()) return leave_out_unlike("has neither numbers nor features that a policy could look at");
  if (survey_.shape.dim() == 0) survey_.shape = Shape{event.offer.length, 1};
  const std::size_t length = survey_.shape.dim() / survey_.shape.blocks;
  if (event.offer.length != length)
    return leave_out_unlike(fmt::format("its contexts have {} numbers, those before it {}", event.offer.length, length));
  for (const std::uint32_t block : event.offer.blocks)
    survey_.shape.blocks = std::max<std::size_t>(survey_.shape.blocks, block + 1);
  survey_.most_arms = std::max(survey_.most_arms, event.arms());
  if (event.time > 0 && (survey_.first_time == 0 || event.time < survey_.first_time))
    survey_.first_time = event.time;
  survey_.last_time = std::max(survey_.last_time, event.time);
  if (!event.reward) {
    ++survey_.open;
    return;
  }
  const double reward = *event.reward, copies = 1 / event.kept;
  if (++survey_.events == 1) {
    survey_.lowest_reward = survey_.highest_reward = reward;
    survey_.least_copies = survey_.most_copies = copies;
    survey_.mean_copies = 0;
  }
  survey_.lowest_reward = std::min(survey_.lowest_reward, reward);
  survey_.highest_reward = std::max(survey_.highest_reward, reward);
  survey_.least_probability = std::min(survey_.least_probability, event.probability());
  survey_.least_copies = std::min(survey_.least_copies, copies);
  survey_.most_copies = std::max(survey_.most_copies, copies);
  survey_.mean_copies += (copies - survey_.mean_copies) / static_cast<double>(survey_.events);
  survey_.all_probabilities = survey_.all_probabilities && event.probabilities.size() == event.arms();
}

void Decisions::read_all() {
  std::unordered_set<std::size_t> ids;
  Event event;
  rewind();
  while (next(event)) {
    if (!event.id.empty() && !ids.insert(std::hash<std::string>{}(event.id)).second)
      leave_out(survey_.duplicates, "the id '" + event.id + "' was given before",
                "a decision counts once: drop one of the two, or skip what is bad");
    else if (const std::string why = beyond_limits(event); !why.empty())
      leave_out(survey_.beyond_limits, why, "nothing can be computed with it: mend the log, or skip what is bad");
    else
      note(event);
  }
  in_all_ = place_;
  survey_.timeless = timeless_;
  if (survey_.events == 0)
    throw Error(ErrorCode::bad_input, "evaluation", "no decision with a reward is there",
                survey_.open > 0       ? fmt::format("rewards still open: {}", survey_.open)
                : survey_.timeless > 0 ? fmt::format("{} events tell no time to choose by", survey_.timeless)
                                       : "the log is empty, or the times exclude all");
}

}  // namespace neuralts::evaluation
