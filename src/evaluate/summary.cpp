#include "evaluate/summary.hpp"

#include <algorithm>
#include <cmath>
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

/// Unbiased up to what is unsupported: every interval for the value itself may stand beside it.
bool plain(const std::string& estimator) {
  const Form* form = find_form(estimator);
  return form == nullptr ? estimator != "replay" : form->rule == WeightRule::plain;
}

bool modelled(const std::string& estimator) {
  const Form* form = find_form(estimator);
  return form != nullptr && form->model;
}

MeanEstimator mean_of(const Judgement& judgement, const std::string& estimator) {
  const Form& form = *find_form(estimator);
  if (form.tuned()) {
    TunedEstimator tuned(form);
    for (const Seen& seen : judgement.events) tuned.add(seen.judged);
    return tuned.best();
  }
  MeanEstimator mean(form);
  for (const Seen& seen : judgement.events) mean.add(seen.judged);
  return mean;
}

/// Weights and terms with what is unsupported added: E[w + u] = 1, and unsupported actions earn the least or
/// the most there is.
class Terms {
 public:
  Terms(const Judgement& judgement, const Question& question, bool model)
      : rewards_(question.rewards), model_(model) {
    const double low = rewards_.low, high = rewards_.high;
    bounds_ = {0, std::max(judgement.most, 1.0 + 1e-6) + 1};
    base_ = model ? Range{low, high} : Range{std::min(0.0, low), std::max(0.0, high)};
    if (!model && judgement.diagnostics.unsupported == 0) base_ = {0, 0};
    gain_ = model ? Range{low - high, high - low} : Range{low, high};
    for (const Seen& seen : judgement.events) {
      const Judged& event = seen.judged;
      weight_.push_back(event.weight + seen.unsupported);
      const double term = model ? event.expected + event.weight * (event.reward - event.predicted)
                                : event.weight * event.reward;
      lowest_.push_back(model ? term : term + seen.unsupported * low);
      highest_.push_back(model ? term : term + seen.unsupported * high);
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

Interval bootstrap_interval(const Judgement& judgement, const Question& question, const MeanEstimator& mean) {
  const Form& form = mean.form();
  Bootstrap bootstrap(form.normalised);
  for (const Seen& seen : judgement.events) {
    const Judged& event = seen.judged;
    const double weight = held_down(form.rule, mean.constant(), event.weight);
    bootstrap.add(form.model ? event.expected : 0,
                  weight * (form.model ? event.reward - event.predicted : event.reward), weight);
  }
  Interval found = bootstrap.interval(question.confidence, question.seed);
  return {found.low - std::abs(mean.bias()), found.high + std::abs(mean.bias())};
}

template <class Side>
Interval sequence_interval(const Judgement& judgement, const Question& question, double k) {
  ConfidenceSequence<Side> sequence(question.rewards, question.confidence, k);
  for (const Seen& seen : judgement.events) sequence.add(seen.judged);
  return sequence.interval();
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
  const bool model = modelled(question.estimator);
  if (kind == "clopper-pearson") return thinned_interval(judgement, question);
  if (kind == "bernstein")
    return sequence_interval<EmpiricalBernstein>(judgement, question, model ? question.k : 0);
  if (kind == "betting") return sequence_interval<Betting>(judgement, question, model ? question.k : 0);
  const Terms terms(judgement, question, model);
  if (kind == "likelihood")
    return within({likelihood_interval(terms.lowest(), question.confidence).low,
                   likelihood_interval(terms.highest(), question.confidence).high}, question.rewards);
  return within({terms.read(terms.low_terms()).interval(question.confidence).low,
                 terms.read(terms.high_terms()).interval(question.confidence).high}, question.rewards);
}

/// Confidence sequences are about one value that stays; a policy that learns gets the interval of the mean over
/// the events instead.
std::string interval_of(const Judgement& judgement, const Question& question) {
  if (question.interval == "auto") return own_interval(question.estimator);
  if (!judgement.learns || !is_sequence(question.interval)) return question.interval;
  return find_form(question.estimator) != nullptr ? "student" : own_interval(question.estimator);
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

void replay_answer(const Judgement& judgement, ValueEstimate& out) {
  const math::Sample sample = math::describe(judgement.replayed);
  out.value = sample.mean, out.error = sample.se;
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
  return plain(estimator) ? "likelihood" : "student";
}

bool goes_with(const std::string& estimator, const std::string& interval) {
  if (interval == "auto") return true;
  if (interval == "student") return find_form(estimator) != nullptr || estimator == "replay";
  if (interval == "bootstrap") return find_form(estimator) != nullptr;
  return plain(estimator);
}

ValueEstimate answer(const Judgement& judgement, const Question& question) {
  ValueEstimate out = start(judgement, question);
  const Form* form = find_form(question.estimator);
  const bool simple = out.interval == "student" || out.interval == "bootstrap";
  if (!goes_with(question.estimator, out.interval))
    throw Error(ErrorCode::bad_spec, "interval",
                "'" + out.interval + "' does not go with '" + question.estimator + "'",
                "leave it to auto: " + own_interval(question.estimator));
  double bias = 0;
  Interval found;
  if (form != nullptr) {
    const MeanEstimator mean = mean_of(judgement, question.estimator);
    out.value = mean.value(), out.error = mean.error(), out.constant = mean.constant();
    bias = std::abs(mean.bias());
    if (out.interval == "bootstrap") found = bootstrap_interval(judgement, question, mean);
  } else if (question.estimator == "replay") {
    replay_answer(judgement, out);
  } else {
    likelihood_answer(judgement, question, out);
  }
  if (out.interval == "student") found = student_interval(out.value, out.error, bias, out.n, out.confidence);
  if (!simple) found = value_interval(judgement, question, out.interval);
  // These are about the value, not about this estimator: where the two disagree, the interval is widened to
  // hold the estimate.
  out.low = std::min(found.low, out.value), out.high = std::max(found.high, out.value);
  return out;
}

std::vector<ValueAt> course(const Judgement& judgement, const Question& question,
                            std::span<const double> times, std::size_t points) {
  const std::size_t n = judgement.events.size();
  const bool model = modelled(question.estimator);
  const Form* form = find_form(question.estimator);
  MeanEstimator mean(form != nullptr && form->rule != WeightRule::none ? *form : *find_form("snips"));
  ConfidenceSequence<EmpiricalBernstein> sequence(question.rewards, question.confidence, model ? question.k : 0);
  std::vector<ValueAt> found;
  for (std::size_t i = 0; i < n; ++i) {
    mean.add(judgement.events[i].judged);
    sequence.add(judgement.events[i].judged);
    const std::size_t slot = (i + 1) * points / n;
    if (slot == i * points / n) continue;
    const Interval interval = judgement.learns ? student_interval(mean.value(), mean.error(), 0, i + 1,
                                                                  question.confidence)
                                               : sequence.interval();
    found.push_back({i + 1, i < times.size() ? times[i] : 0, mean.value(), interval.low, interval.high});
  }
  return found;
}

}  // namespace neuralts::evaluation
