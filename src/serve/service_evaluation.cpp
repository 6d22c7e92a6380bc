// What other policies would have earned: the loop's own journal, joined, handed to the evaluation.
#include <fmt/format.h>

#include <charconv>
#include <deque>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "neuralts/evaluate.hpp"
#include "serve/service_call.hpp"

namespace neuralts::serve {

namespace {

using nlohmann::json;

constexpr std::size_t events_default = 5000, events_most = 100000;

/// The newest joined events of a loop that were kept with all their features.
class JournalEvents final : public EventSource {
 public:
  JournalEvents(Journal& journal, const Loop& loop, std::size_t most) : published_(loop.published()) {
    auto reader = journal.reader(), finder = journal.reader();
    Join join(loop.id(), [&loop](std::uint32_t revision) -> const LoopConfig& { return loop.config(revision); });
    std::vector<Record> records;
    for (Sequence at = 0, before = 1; at != before;) {
      records.clear();
      before = at;
      at = reader->read(at, 1000, loop.id(), records);
      for (const Record& record : records)
        join.take(record, *finder, [&](const Joined& joined) { add(joined, most); });
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
  void add(const Joined& joined, std::size_t most) {
    const EventRecord& record = *joined.event;
    if (record.chosen_only || record.form == Form::none || record.form != published_->form || record.length != published_->length) return;
    Event event;
    event.id = std::to_string(joined.sequence);
    event.time = static_cast<double>(joined.time_us) / 1e6;
    event.actions = record.ids;
    event.arm = record.chosen;
    event.kept = record.kept;
    event.reward = joined.reward;
    event.set_arms(record.ids.size());
    if (record.shadow) {
      event.probabilities.assign(record.ids.size(), 0);
      event.probabilities[record.chosen] = 1;
    } else {
      double sum = 0;
      for (const float p : record.probabilities) sum += p;
      for (const float p : record.probabilities) event.probabilities.push_back(p / sum);
    }
    offered_from(record, offered_);
    try {
      contexts_of(*published_, offered_, event.offer.numbers);
    } catch (const ContractError&) {
      return;
    }
    event.offer.length = length_of(*published_);
    events_.push_back(std::move(event));
    if (events_.size() > most) events_.pop_front();
  }

  std::shared_ptr<const Published> published_;
  Offered offered_;
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

json judged(Journal& journal, const Loop& loop, const EvaluationOptions& options, std::size_t most) {
  if (loop.published()->version == 0) throw Problem(409, "", "nothing has been learned yet: there is no log to judge by");
  JournalEvents events(journal, loop, most);
  if (events.size() < 2) throw Problem(409, "", "fewer than two events have a reward");
  const Evaluation evaluation = evaluate(events, options);
  json out = {{"events", evaluation.events}, {"notes", evaluation.notes}, {"policies", json::array()}};
  for (const auto& policy : evaluation.policies) out["policies"].push_back(to_json(policy));
  return out;
}

std::size_t count_in(const std::string& text) {
  if (text.empty()) return events_default;
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 2 || count > events_most)
    throw Problem(422, "events", fmt::format("a number within 2 .. {} is needed", events_most));
  return count;
}

}  // namespace

void Service::call_evaluation(Call& call) {
  const auto runtime = find(call.parts[0]);
  EvaluationOptions options;
  options.policies = {"logged", "uniform"};
  options.estimators = {"snips"};
  options.points = 0;
  if (const std::string wanted = call.query_value("policies"); !wanted.empty()) options.policies = split(wanted, ',');
  if (const std::string wanted = call.query_value("estimators"); !wanted.empty()) options.estimators = split(wanted, ',');
  for (const auto& policy : options.policies)
    if (policy.starts_with("file:")) throw Problem(422, "policies", "a file cannot be asked for here");
  const std::size_t most = count_in(call.query_value("events"));
  if (evaluating_.exchange(true)) throw Problem(429, "", "an evaluation is under way: try again when it is done");
  background_([this, runtime, options, most, reply = std::move(call.reply)] {
    Answer answer;
    try {
      answer = {200, "application/json", judged(journal_, runtime->loop, options, most).dump(), {}};
    } catch (const Problem& problem) {
      answer = answer_of(problem, false);
    } catch (const Error& error) {
      answer = answer_of(Problem(error.code() == ErrorCode::bad_spec ? 422 : 409, "policies", error.what()), false);
    } catch (const std::exception& error) {
      answer = answer_of(Problem(409, "", error.what()), false);
    }
    evaluating_ = false;
    reply(std::move(answer));
  });
}

}  // namespace neuralts::serve
