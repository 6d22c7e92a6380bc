#include "evaluate/summary.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/text.hpp"
#include "evaluate/bootstrap.hpp"
#include "evaluate/cressie_read.hpp"
#include "evaluate/estimator.hpp"
#include "evaluate/likelihood.hpp"
#include "evaluate/sequence.hpp"
#include "evaluate/thinning.hpp"
#include "math/statistics.hpp"

namespace neuralts::evaluation {

namespace {

const std::vector<std::string>& estimators() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const Form& form : forms()) names.push_back(form.name);
    for (const char* name : {"likelihood", "cressie-read", "replay"}) names.emplace_back(name);
    return names;
  }();
  return all;
}

const std::vector<std::string> intervals = {"auto",       "student",      "bootstrap", "clopper-pearson",
                                            "likelihood", "cressie-read", "bernstein", "betting"};

std::string checked(const std::string& what, const std::string& text,
                    const std::map<std::string, std::string>& short_names,
                    const std::vector<std::string>& known) {
  const auto brief = short_names.find(text);
  const std::string& name = brief == short_names.end() ? text : brief->second;
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw Error(ErrorCode::bad_spec, what, "unknown " + what + " '" + text + "'", suggest(text, known));
  return name;
}

/// Of the value itself: every interval for that may stand beside it. Those that hold weights down are of the same value,
/// and know no better than the others how much that has cost.
bool of_the_value(const std::string& estimator) {
  const Form* form = find_form(estimator);
  return form == nullptr ? estimator != "replay" : form->rule != WeightRule::none;
}

bool modelled(const std::string& estimator) {
  const Form* form = find_form(estimator);
  return form != nullptr && form->model;
}

MeanEstimator untuned(const Judgement& judgement, const Form& form, const Range& rewards) {
  MeanEstimator mean(form, HUGE_VAL, rewards.middle());
  for (const Seen& seen : judgement.events) mean.add(seen.judged);
  return mean;
}

MeanEstimator mean_of(const Judgement& judgement, const Form& form, const Range& rewards) {
  if (!form.tuned()) return untuned(judgement, form, rewards);
  TunedEstimator tuned(form);
  for (const Seen& seen : judgement.events) tuned.add(seen.judged);
  return tuned.best();
}

/// Weights and terms with what is unsupported added: E[w + u] = 1, and unsupported actions earn the least or
/// the most there is.
class Terms {
 public:
  Terms(const Judgement& judgement, const Question& question, bool model)
      : rewards_(question.rewards), model_(model) {
    const double low = rewards_.low, high = rewards_.high;
    bounds_ = {0, std::max(judgement.most, 1.0 + 1e-6) + 1};
    const Range& q = judgement.predictions;
    base_ = model ? q : Range{0, 0};
    gain_ = model ? Range{low - q.high, high - q.low} : Range{low, high};
    for (const Seen& seen : judgement.events) {
      const Judged& event = seen.judged;
      weight_.push_back(event.weight + seen.unsupported);
      const double term = model ? event.expected + event.weight * (event.reward - event.predicted)
                                : event.weight * event.reward;
      const double known = term - (model ? seen.unsupported_expected : 0);
      lowest_.push_back(known + seen.unsupported * low);
      highest_.push_back(known + seen.unsupported * high);
      bounds_.high = std::max(bounds_.high, weight_.back());
    }
  }
  WeightedTerms lowest() const { return {weight_, lowest_, bounds_, base_, gain_}; }
  WeightedTerms highest() const { return {weight_, highest_, bounds_, base_, gain_}; }

  CressieRead read(const std::vector<double>& terms) const {
    CressieRead all(bounds_, base_, gain_);
    for (std::size_t i = 0; i < terms.size(); ++i) all.add(weight_[i], terms[i]);
    return all;
  }
  const std::vector<double>& low_terms() const { return lowest_; }
  const std::vector<double>& high_terms() const { return highest_; }

 private:
  Range rewards_, bounds_, base_, gain_;
  bool model_;
  std::vector<double> weight_, lowest_, highest_;
};

Interval within(const Interval& interval, const Range& rewards) {
  return {std::clamp(interval.low, rewards.low, rewards.high),
          std::clamp(interval.high, rewards.low, rewards.high)};
}

Interval bootstrap_interval(const Judgement& judgement, const Question& question, const Form& form) {
  Bootstrap bootstrap(form.normalised);
  for (const Seen& seen : judgement.events) {
    const Judged& event = seen.judged;
    const double weight = form.rule == WeightRule::none ? 0 : event.weight;
    bootstrap.add(form.model ? event.expected : 0,
                  weight * (form.model ? event.reward - event.predicted : event.reward), weight);
  }
  return bootstrap.interval(question.confidence, question.seed);
}

Interval replay_interval(const std::vector<double>& kept, const Question& question) {
  const math::Sample sample = math::describe(kept);
  if (std::adjacent_find(kept.begin(), kept.end(), std::not_equal_to<>()) == kept.end())
    return unvaried_interval(sample.mean, sample.n, question.rewards, question.confidence);
  return student_interval(sample.mean, sample.se, sample.n, question.confidence);
}

/// Of the terms as they are, whatever weights the estimate beside it holds down. `form` null: of replay.
Interval spread_interval(const std::string& name, const Judgement& judgement, const Question& question, const Form* form) {
  if (form == nullptr) return replay_interval(judgement.replayed, question);
  const MeanEstimator mean = untuned(judgement, *form, question.rewards);
  const Interval spread = name == "bootstrap" ? bootstrap_interval(judgement, question, *form)
                                              : student_interval(mean.value(), mean.error(), mean.count(), question.confidence);
  return joined(bounded(spread, question.rewards), mean.left_open(question.rewards, question.confidence));
}

template <class Side>
SequenceEnd end_of(const Judgement& judgement, const Question& question) {
  ConfidenceSequence<Side> sequence(question.rewards, question.confidence, modelled(question.estimator) ? question.k : 0);
  for (const Seen& seen : judgement.events) sequence.add(seen.judged);
  return sequence.end();
}

Interval thinned_interval(const Judgement& judgement, const Question& question) {
  double most = judgement.most;
  for (const Seen& seen : judgement.events) most = std::max(most, seen.judged.weight);
  Thinning thinning(question.rewards, most, question.seed);
  for (const Seen& seen : judgement.events) thinning.add(seen.judged);
  return thinning.interval(question.confidence);
}

/// Intervals for the value itself, whichever estimator stands beside them.
Interval value_interval(const Judgement& judgement, const Question& question, const std::string& kind) {
  if (kind == "clopper-pearson") return thinned_interval(judgement, question);
  const Terms terms(judgement, question, modelled(question.estimator));
  if (kind == "likelihood")
    return within({likelihood_interval(terms.lowest(), question.confidence).low,
                   likelihood_interval(terms.highest(), question.confidence).high}, question.rewards);
  return within({terms.read(terms.low_terms()).interval(question.confidence).low,
                 terms.read(terms.high_terms()).interval(question.confidence).high}, question.rewards);
}

Interval interval_named(const std::string& name, const Judgement& judgement, const Question& question, const Form* form) {
  if (name != "student" && name != "bootstrap") return value_interval(judgement, question, name);
  const Interval spread = spread_interval(name, judgement, question, form);
  const Interval reach = unsupported_reach(judgement, question.rewards, form, (spread.low + spread.high) / 2);
  const Interval all{spread.low + reach.low, spread.high + reach.high};
  return form == nullptr ? within(all, question.rewards) : all;
}

/// What stands in for a confidence sequence where there is no one value that stays.
std::string one_time_interval(const std::string& estimator) {
  return find_form(estimator) != nullptr ? "student" : own_interval(estimator);
}

/// What a confidence sequence says, and where it does not speak of one value, what is known of the mean.
Interval sequence_interval(const Judgement& judgement, const Question& question, const Form* form, ValueEstimate& out,
                           std::vector<std::string>& doubts) {
  const std::string asked = out.interval, instead = one_time_interval(question.estimator);
  const SequenceEnd end = asked == "betting" ? end_of<Betting>(judgement, question)
                                             : end_of<EmpiricalBernstein>(judgement, question);
  if (end.stays()) return end.bounds;
  if (end.crossed) {
    out.interval = instead;
    doubts.push_back(question.estimator + ": the bounds of " + asked + " contradict each other: what the policy earns changed " +
                     "along the log, and the interval is that of its mean over these events");
  } else {
    doubts.push_back(question.estimator + ": the mean of the events lies outside of the bounds of " + asked + ": what the policy " +
                     "earns may have changed along the log, and the interval is widened by that of its mean over these events");
  }
  return end.with(interval_named(instead, judgement, question, form));
}

/// Confidence sequences are about one value that stays; a policy that learns gets the interval of the mean over
/// the events instead. The others take events for decisions; where these differ Student's is left.
std::string interval_of(const Judgement& judgement, const Question& question) {
  if (judgement.copies_differ()) return "student";
  if (question.interval == "auto") return own_interval(question.estimator);
  if (judgement.learns && is_sequence(question.interval)) return one_time_interval(question.estimator);
  return question.interval;
}

ValueEstimate start(const Judgement& judgement, const Question& question) {
  const Diagnostics& found = judgement.diagnostics;
  return {.policy = judgement.policy,
          .estimator = question.estimator,
          .interval = interval_of(judgement, question),
          .confidence = question.confidence,
          .n = found.n,
          .ess = found.ess,
          .max_weight = found.max_weight,
          .mean_weight = found.mean_weight,
          .unsupported = found.unsupported};
}

/// Where no event was kept the middle of what rewards can be.
void replay_answer(const Judgement& judgement, const Range& rewards, ValueEstimate& out) {
  const math::Sample sample = math::describe(judgement.replayed);
  out.value = sample.n > 0 ? sample.mean : rewards.middle();
  out.error = sample.se;
  out.n = sample.n, out.ess = static_cast<double>(sample.n);
  out.max_weight = out.mean_weight = 1;
}

void likelihood_answer(const Judgement& judgement, const Question& question, ValueEstimate& out) {
  const Terms terms(judgement, question, false);
  out.value = question.estimator == "likelihood"
                  ? (likelihood_value(terms.lowest()) + likelihood_value(terms.highest())) / 2
                  : (terms.read(terms.low_terms()).value() + terms.read(terms.high_terms()).value()) / 2;
}

}  // namespace

std::string estimator_name(const std::string& text) {
  return checked("estimator", text, {{"el", "likelihood"}, {"cr", "cressie-read"}, {"dros", "dr-shrinkage"}},
                 estimators());
}

std::string interval_name(const std::string& text) {
  return checked("interval", text, {{"el", "likelihood"}, {"cr", "cressie-read"}, {"eb", "bernstein"}}, intervals);
}

bool needs_model(const std::string& estimator) { return modelled(estimator); }

bool is_sequence(const std::string& interval) { return interval == "bernstein" || interval == "betting"; }

std::string own_interval(const std::string& estimator) {
  if (estimator == "cressie-read") return "cressie-read";
  return of_the_value(estimator) ? "likelihood" : "student";
}

bool goes_with(const std::string& estimator, const std::string& interval) {
  if (interval == "auto") return true;
  if (interval == "student") return find_form(estimator) != nullptr || estimator == "replay";
  if (interval == "bootstrap") return find_form(estimator) != nullptr;
  return of_the_value(estimator);
}

Interval unsupported_reach(const Judgement& judgement, const Range& rewards, const Form* form, double value) {
  double mass = 0, expected = 0;
  const double n = static_cast<double>(std::max<std::size_t>(1, judgement.events.size()));
  for (const Seen& seen : judgement.events) mass += seen.unsupported / n, expected += seen.unsupported_expected / n;
  if (mass == 0) return {0, 0};
  const bool of_the_rest = form == nullptr || (form->normalised && !form->model);
  const double counted = of_the_rest ? mass * value : form->model ? expected : 0;
  return {mass * rewards.low - counted, mass * rewards.high - counted};
}

std::vector<std::string> all_doubts(const Judgement& judgement) {
  auto all = judgement.doubts;
  for (auto& doubt : doubts(judgement.diagnostics)) all.push_back(std::move(doubt));
  return all;
}

ValueEstimate answer(const Judgement& judgement, const Question& question, std::vector<std::string>& doubts) {
  if (!goes_with(question.estimator, question.interval))
    throw Error(ErrorCode::bad_spec, "interval",
                "'" + question.interval + "' does not go with '" + question.estimator + "'",
                "leave it to auto: " + own_interval(question.estimator));
  ValueEstimate out = start(judgement, question);
  const Form* form = find_form(question.estimator);
  if (form != nullptr) {
    const MeanEstimator mean = mean_of(judgement, *form, question.rewards);
    out.value = mean.value(), out.error = mean.error(), out.constant = mean.constant();
  } else if (question.estimator == "replay") {
    replay_answer(judgement, question.rewards, out);
  } else {
    likelihood_answer(judgement, question, out);
    if (judgement.copies_differ()) form = find_form("snips");  // whose spread it has
  }
  const Interval found = is_sequence(out.interval) ? sequence_interval(judgement, question, form, out, doubts)
                                                   : interval_named(out.interval, judgement, question, form);
  // These are about the value, not about this estimator: where the two disagree, the interval is widened to
  // hold the estimate.
  const Interval held = joined(found, {out.value, out.value});
  out.low = held.low, out.high = held.high;
  return out;
}

std::vector<ValueAt> course(const Judgement& judgement, const Question& question,
                            std::span<const double> times, std::size_t points) {
  const std::size_t n = judgement.events.size();
  const bool model = modelled(question.estimator);
  const Form* form = find_form(question.estimator);
  const Form& shown = form != nullptr && form->rule != WeightRule::none ? *form : *find_form("snips");
  MeanEstimator mean(shown, mean_of(judgement, shown, question.rewards).constant(), question.rewards.middle());
  ConfidenceSequence<EmpiricalBernstein> sequence(question.rewards, question.confidence, model ? question.k : 0);
  std::vector<ValueAt> found;
  for (std::size_t i = 0; i < n; ++i) {
    mean.add(judgement.events[i].judged);
    sequence.add(judgement.events[i].judged);
    const std::size_t slot = (i + 1) * points / n;
    if (slot == i * points / n) continue;
    const Interval spread = bounded(student_interval(mean.value(), mean.error(), i + 1, question.confidence), question.rewards);
    Interval interval = joined(spread, mean.left_open(question.rewards, question.confidence));
    if (!judgement.learns && !judgement.copies_differ()) interval = sequence.end().with(interval);
    found.push_back({i + 1, i < times.size() ? times[i] : 0, mean.value(), interval.low, interval.high});
  }
  return found;
}

}  // namespace neuralts::evaluation
