// What other policies would have earned: the loop's own journal, joined, handed to the evaluation.
#include <fmt/format.h>

#include <deque>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/whole_number.hpp"
#include "serve/journal_events.hpp"
#include "serve/service_call.hpp"

namespace neuralts::serve {

namespace {

using nlohmann::json;

constexpr std::size_t events_default = 5000, events_most = 100000, listed_most = 16;

/// The newest events of a loop that have a reward, with the numbers that its model sees.
class NewestEvents final : public EventSource {
 public:
  NewestEvents(Journal& journal, const Loop& loop, std::int64_t now_us, std::size_t most) {
    const auto published = loop.published();
    JournalEvents all([&journal] { return journal.reader(); }, loop.id(),
                      [&loop](std::uint32_t revision) -> const LoopConfig& { return loop.config(revision); },
                      now_us);
    for (Event event; all.next(event);) {
      if (!event.reward || !encode(*published, event)) continue;
      events_.push_back(std::move(event));
      if (events_.size() > most) events_.pop_front();
    }
  }
  void rewind() override { at_ = 0; }
  bool next(Event& out) override {
    if (at_ == events_.size()) return false;
    out = events_[at_++];
    return true;
  }
  std::size_t size() const { return events_.size(); }

 private:
  /// False: the model's encoder refuses it.
  static bool encode(const Published& published, Event& event) {
    if (!event.offer.has_objects() || !published.encoder) return true;
    event.offer.length = published.encoder->length();
    event.offer.numbers.resize(event.arms() * event.offer.length);
    try {
      published.encoder->encode(event.offer.objects, event.offer.numbers);
    } catch (const ContractError&) {
      return false;
    }
    event.offer.objects.clear();
    return true;
  }

  std::deque<Event> events_;
  std::size_t at_ = 0;
};

json to_json(const PolicyValue& policy) {
  json out = {{"policy", policy.policy}, {"doubts", policy.doubts}, {"estimates", json::array()}};
  for (const auto& e : policy.estimates)
    out["estimates"].push_back({{"estimator", e.estimator}, {"value", e.value}, {"low", e.low}, {"high", e.high}, {"interval", e.interval},
                                {"confidence", e.confidence}, {"n", e.n}, {"ess", e.ess}, {"max_weight", e.max_weight}});
  return out;
}

json judged(Journal& journal, const Loop& loop, std::int64_t now_us, const EvaluationOptions& options,
            std::size_t most) {
  if (loop.published()->version == 0)
    throw Problem(409, "", "nothing has been learned yet: there is no log to judge by");
  NewestEvents events(journal, loop, now_us, most);
  if (events.size() < 2) throw Problem(409, "", loop.current()->config.keep_features < 1
                                 ? "fewer than two events with the features of all their actions (keep_features) have a reward"
                                 : "fewer than two events have a reward");
  const Evaluation evaluation = evaluate(events, options);
  json out = {{"events", evaluation.events}, {"notes", evaluation.notes}, {"policies", json::array()}};
  for (const auto& policy : evaluation.policies) out["policies"].push_back(to_json(policy));
  return out;
}

std::size_t count_in(const std::string& text) {
  if (text.empty()) return events_default;
  const auto count = parse_whole<std::size_t>(text);
  if (!count || *count < 2 || *count > events_most)
    throw Problem(422, "events", fmt::format("a number within 2 .. {} is needed", events_most));
  return *count;
}

/// A list in the address, or the usual one.
std::vector<std::string> listed(const std::string& wanted, const char* field, std::vector<std::string> usual) {
  if (wanted.empty()) return usual;
  std::vector<std::string> list = split(wanted, ',');
  if (list.size() > listed_most)
    throw Problem(422, field, fmt::format("{} are too many at once: at most {}", list.size(), listed_most));
  return list;
}

}  // namespace

void Service::call_evaluation(Call& call) {
  const auto runtime = find(call.parts[0]);
  EvaluationOptions options;
  options.policies = listed(call.query_value("policies"), "policies", {"logged", "uniform"});
  options.estimators = listed(call.query_value("estimators"), "estimators", {"snips"});
  options.points = 0;
  for (const auto& policy : options.policies)
    if (policy.starts_with("file:")) throw Problem(422, "policies", "a file cannot be asked for here");
  const std::size_t most = count_in(call.query_value("events"));
  options.stop = [this] { return stopping_.load(); };
  if (evaluating_.exchange(true)) throw Problem(429, "", "an evaluation is under way: try again when it is done");
  background_([this, runtime, options, most, reply = std::move(call.reply)] {
    Answer answer;
    try {
      answer = {200,
                "application/json",
                judged(journal_, runtime->loop, clock_.now_us(), options, most).dump(),
                {}};
    } catch (const Problem& problem) {
      answer = answer_of(problem, false);
    } catch (const Error& error) {
      if (stopping_) answer = answer_of(Problem(503, "", "the service is going down"), false);
      else answer = answer_of(Problem(error.code() == ErrorCode::bad_spec ? 422 : 409, "policies", error.what()), false);
    } catch (const std::exception& error) {
      answer = answer_of(Problem(409, "", error.what()), false);
    }
    evaluating_ = false;
    reply(std::move(answer));
  });
}

}  // namespace neuralts::serve
