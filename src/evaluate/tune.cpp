// Settings of a policy against each other on one log: the same events, the same rewards, so that only the
// difference has spread.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "evaluate/judge.hpp"
#include "evaluate/plan.hpp"
#include "evaluate/estimator.hpp"
#include "evaluate/summary.hpp"

namespace neuralts {

namespace {

using namespace evaluation;
using Grid = std::vector<std::pair<std::string, std::vector<std::string>>>;

std::string with(const std::string& policy, const std::string& key, const std::string& value) {
  const std::size_t colon = std::min(policy.find(':'), policy.size());
  Params params = parse_params(std::string_view(policy).substr(std::min(colon + 1, policy.size())));
  params[key] = value;
  return policy.substr(0, colon) + ":" + to_string(params);
}

/// What a setting means: keys in order, numbers as numbers.
std::string meaning(const std::string& setting) {
  PolicySpec spec = policy_spec(setting, {}, 0);
  for (auto& [key, value] : spec.params)
    if (const auto number = parse_number(value)) value = format_number(*number);
  return spec.preset + ":" + to_string(spec.params);
}

std::vector<std::string> without_repeats(const std::vector<std::string>& settings) {
  std::set<std::string> met;
  std::vector<std::string> all;
  for (const auto& setting : settings)
    if (met.insert(meaning(setting)).second) all.push_back(setting);
  return all;
}

/// Every combination of the grid's values, once. A key given twice: the later wins.
std::vector<std::string> combinations(const std::string& policy, const Grid& grid) {
  if (grid.empty()) throw Error(ErrorCode::bad_spec, "set", "no value to try is given", "write for example nu=0.1,1");
  std::vector<std::string> all{policy};
  for (const auto& [key, values] : grid) {
    if (values.empty())
      throw Error(ErrorCode::bad_spec, "set", "no value is given for '" + key + "'",
                  "write " + key + "=0.1,1");
    std::vector<std::string> longer;
    for (const auto& text : all)
      for (const auto& value : values) longer.push_back(with(text, key, value));
    all = std::move(longer);
  }
  return without_repeats(all);
}

/// What an event adds to the estimate, in first order: terms whose mean is the value mean(b) / mean(c) + mean(w g) / mean(w),
/// b what a model expects, g what it missed; without normalising w, of its mean 1.
std::vector<double> terms(const Judgement& judgement, const std::string& estimator) {
  const Form& form = *find_form(estimator);
  const double n = static_cast<double>(std::max<std::size_t>(1, judgement.events.size()));
  const auto missed = [&](const Judged& event) { return form.model ? event.reward - event.predicted : event.reward; };
  double expected = 0, weight = 0, gained = 0;
  for (const Seen& seen : judgement.events) {
    if (form.model) expected += seen.judged.expected / n;
    weight += seen.judged.weight / n, gained += seen.judged.weight * missed(seen.judged) / n;
  }
  const double ratio = !form.normalised ? gained : weight > 0 ? gained / weight : 0;
  std::vector<double> all;
  for (const Seen& seen : judgement.events) {
    const Judged& event = seen.judged;
    double term = expected + ratio;
    if (form.model) term += event.expected - event.copies * expected;
    if (!form.normalised) term += event.weight * missed(event) - event.copies * ratio;
    else if (weight > 0) term += event.weight * (missed(event) - ratio) / weight;
    all.push_back(term);
  }
  return all;
}

/// `unknown`: by how much either's value may be off for actions that the log never plays, the current one's first.
void set_lead(TunedSetting& setting, const std::vector<double>& mine, const std::vector<double>& current,
              double confidence, const Range& rewards, const std::array<Interval, 2>& unknown) {
  Moments<1> difference;
  for (std::size_t i = 0; i < mine.size(); ++i) difference.add({mine[i] - current[i]});
  const double error = std::sqrt(difference.variance({1}) /
                                 static_cast<double>(std::max<std::size_t>(1, mine.size())));
  const Interval found = bounded(student_interval(difference.mean(0), error, mine.size(), confidence),
                                 {-rewards.width(), rewards.width()});
  setting.lead = difference.mean(0);
  setting.lead_low = found.low + unknown[1].low - unknown[0].high;
  setting.lead_high = found.high + unknown[1].high - unknown[0].low;
}

}  // namespace

Tuning tune(EventSource& events, const std::string& policy, const Grid& set, const EvaluationOptions& options) {
  EvaluationOptions own = options;
  const auto settings = combinations(policy, set);
  own.policies = {policy};
  own.policies.insert(own.policies.end(), settings.begin(), settings.end());
  if (own.estimators.size() > 1)
    throw Error(ErrorCode::bad_spec, "estimator", "settings are compared by one, " + std::to_string(own.estimators.size()) + " are named",
                "name ips, snips, dr or sndr");
  const Request request(own);
  Decisions decisions(events, {own.since, own.until, own.skip_bad, own.stop, own.progress});
  const Plan plan = request.plan(decisions.survey(), {});
  const std::string& estimator = plan.estimators.front();
  if (const Form* form = find_form(estimator); form == nullptr || form->rule != WeightRule::plain)
    throw Error(ErrorCode::bad_spec, "estimator", "'" + estimator + "' does not compare event by event",
                "use ips, snips, dr or sndr");
  const auto model = plan.make_model(decisions, {});
  const auto judgements = judge(decisions, plan.candidates(decisions.survey(), {}), model.get(), plan.judging);

  Tuning out{.notes = plan.notes};
  const double looked_at = static_cast<double>(settings.size());
  const auto current = terms(judgements.front(), estimator);
  Interval unknown_of_current;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    if (own.progress) own.progress({"finding intervals", i + 1, judgements.size()});
    TunedSetting setting{.policy = judgements[i].policy, .value = {}, .current = i == 0, .doubts = all_doubts(judgements[i])};
    setting.value = answer(judgements[i], plan.question(estimator), setting.doubts);
    const Interval unknown =
        unsupported_reach(judgements[i], plan.judging.rewards, find_form(estimator), setting.value.value);
    if (i == 0) {
      unknown_of_current = unknown;
    } else {
      set_lead(setting, terms(judgements[i], estimator), current, 1 - (1 - own.confidence) / looked_at,
               plan.judging.rewards, {unknown_of_current, unknown});
    }
    out.settings.push_back(std::move(setting));
  }
  for (std::size_t i = 1; i < out.settings.size(); ++i)
    if (out.settings[i].value.value > out.settings[out.best].value.value) out.best = i;
  return out;
}

}  // namespace neuralts
