#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "evaluate/judge.hpp"
#include "evaluate/plan.hpp"
#include "evaluate/summary.hpp"

namespace neuralts {

namespace {

using namespace evaluation;

PolicyValue summarise(const Judgement& judgement, const Plan& plan, std::span<const double> times) {
  PolicyValue out{.policy = judgement.policy, .diagnostics = judgement.diagnostics, .doubts = all_doubts(judgement)};
  for (const auto& estimator : plan.estimators)
    out.estimates.push_back(answer(judgement, plan.question(estimator), out.doubts));
  if (plan.replay && judgement.replayed.size() < 2)
    out.doubts.push_back(fmt::format("replay has kept {}, which tells next to nothing: its interval is what rewards can be",
                                     judgement.replayed.empty() ? "no event" : "one event"));
  if (plan.points > 0) out.course = course(judgement, plan.question(plan.estimators.front()), times, plan.points);
  return out;
}

}  // namespace

Evaluation evaluate(EventSource& events, const EvaluationOptions& options, const GivenRows& given) {
  const Request request(options);
  Decisions decisions(events, {options.since, options.until, options.skip_bad, options.stop, options.progress});
  const Plan plan = request.plan(decisions.survey(), given);
  const auto model = plan.make_model(decisions, given);
  std::vector<double> times;
  const auto judgements = judge(decisions, plan.candidates(decisions.survey(), given), model.get(),
                                plan.judging, &times);
  const Survey& survey = decisions.survey();
  Evaluation out{.events = survey.events,
                 .open = survey.open,
                 .lowest_reward = plan.judging.rewards.low,
                 .highest_reward = plan.judging.rewards.high,
                 .notes = plan.notes};
  if (is_sequence(plan.interval) &&
      std::any_of(judgements.begin(), judgements.end(), [](const Judgement& j) { return j.learns; }))
    out.notes.push_back(
        "a policy that learns has no one value: its interval is that of the mean over these events, not one "
        "for all times");
  for (const auto& judgement : judgements) {
    if (options.progress) options.progress({"finding intervals", out.policies.size() + 1, judgements.size()});
    out.policies.push_back(summarise(judgement, plan, times));
  }
  return out;
}

Evaluation evaluate(EventSource& events, const EvaluationOptions& options) { return evaluate(events, options, {}); }

}  // namespace neuralts
