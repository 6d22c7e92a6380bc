// Settings of a policy against each other on one log: the same events, the same rewards, so that only the
// difference has spread.
#include <algorithm>
#include <cmath>

#include "evaluate/judge.hpp"
#include "evaluate/plan.hpp"
#include "evaluate/estimator.hpp"
#include "evaluate/summary.hpp"

namespace neuralts {

namespace {

using namespace evaluation;
using Grid = std::vector<std::pair<std::string, std::vector<std::string>>>;

std::string with(const std::string& policy, const std::string& key, const std::string& value) {
  return policy + (policy.find(':') == std::string::npos ? ":" : ",") + key + "=" + value;
}

/// Every combination of the grid's values. A key given twice: the later wins.
std::vector<std::string> combinations(const std::string& policy, const Grid& grid) {
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
  return all;
}

/// What an event adds to the estimate, in first order: terms whose mean is the value.
std::vector<double> terms(const Judgement& judgement, const std::string& estimator) {
  const Form& form = *find_form(estimator);
  MeanEstimator mean(form);
  double weight = 1;
  if (form.normalised) {
    weight = 0;
    for (const Seen& seen : judgement.events)
      weight += seen.judged.weight / static_cast<double>(judgement.events.size());
    for (const Seen& seen : judgement.events) mean.add(seen.judged);
  }
  const double ratio = form.normalised ? mean.value() : 0;
  std::vector<double> all;
  for (const Seen& seen : judgement.events) {
    const Judged& event = seen.judged;
    const double base = form.model ? event.expected : 0,
                 missed = form.model ? event.reward - event.predicted : event.reward;
    if (!form.normalised)
      all.push_back(base + event.weight * missed);
    else if (form.model)
      all.push_back(base + (weight > 0 ? event.weight * missed / weight : 0));
    else
      all.push_back(ratio + (weight > 0 ? event.weight * (missed - ratio) / weight : 0));
  }
  return all;
}

void set_lead(TunedSetting& setting, const std::vector<double>& mine, const std::vector<double>& current,
              double confidence) {
  Moments<1> difference;
  for (std::size_t i = 0; i < mine.size(); ++i) difference.add({mine[i] - current[i]});
  const double error = std::sqrt(difference.variance({1}) /
                                 static_cast<double>(std::max<std::size_t>(1, mine.size())));
  const Interval found = student_interval(difference.mean(0), error, 0, mine.size(), confidence);
  setting.lead = difference.mean(0), setting.lead_low = found.low, setting.lead_high = found.high;
}

}  // namespace

Tuning tune(EventSource& events, const std::string& policy, const Grid& set, const EvaluationOptions& options) {
  EvaluationOptions own = options;
  const auto settings = combinations(policy, set);
  own.policies = {policy};
  own.policies.insert(own.policies.end(), settings.begin(), settings.end());
  own.estimators.resize(std::min<std::size_t>(1, own.estimators.size()));
  const Request request(own);
  Decisions decisions(events, {own.since, own.until, own.skip_bad, own.stop});
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
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    TunedSetting setting{.policy = judgements[i].policy,
                         .value = answer(judgements[i], plan.question(estimator)),
                         .current = i == 0};
    if (i > 0) set_lead(setting, terms(judgements[i], estimator), current, 1 - (1 - own.confidence) / looked_at);
    out.settings.push_back(std::move(setting));
  }
  for (std::size_t i = 1; i < out.settings.size(); ++i)
    if (out.settings[i].value.value > out.settings[out.best].value.value) out.best = i;
  return out;
}

}  // namespace neuralts
