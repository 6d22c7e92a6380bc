#include "evaluate/plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "neuralts/limits.hpp"

namespace neuralts::evaluation {

namespace {
// K of the confidence sequences: near the narrowest of 1, 2 and 4 in bench_coverage.
constexpr double floor_constant = 2;

/// A number per action and event, of actions that the rows have. Throws ContractError.
void check_given(const Survey& survey, const GivenRows& given) {
  const std::size_t actions = std::max(survey.most_arms, survey.shape.blocks);
  if (actions > given.actions)
    throw ContractError("evaluate: the rows given have " + std::to_string(given.actions) + " actions, the events have " +
                        std::to_string(actions));
  const auto check = [&](const std::string& name, const char* what, std::size_t found) {
    if (found != survey.events * given.actions)
      throw ContractError("evaluate: " + name + std::to_string(found) + " " + what + " for " +
                          std::to_string(survey.events) + " events with a reward and " +
                          std::to_string(given.actions) + " actions");
  };
  if (!given.predictions.empty()) check("there are ", "predictions", given.predictions.size());
  for (const auto& policy : given.policies) check(policy.name + " has ", "probabilities", policy.probabilities.size());
}
}  // namespace

Request::Request(const EvaluationOptions& options) : options_(options), interval_(interval_name(options.interval)) {
  for (const auto& text : options.estimators) estimators_.push_back(estimator_name(text));
  if (estimators_.empty()) throw Error(ErrorCode::bad_spec, "estimators", "none is named", "for example snips,dr");
  if (!(options.confidence > 0 && options.confidence < 1))
    throw Error(ErrorCode::bad_spec, "confidence",
                format_number(options.confidence) + " is not between 0 and 1", "for example 0.95");
  for (const auto& [name, time] : {std::pair("since", options.since), std::pair("until", options.until)})
    if (!(time >= 0 && std::isfinite(time)))
      throw Error(ErrorCode::bad_spec, name, format_number(time) + " is not a time after 1970", "write seconds since 1970");
  if (options.until > 0 && options.until <= options.since)
    throw Error(ErrorCode::bad_spec, "until", "it is not after since", "events from since to before until are judged");
  const double low = options.lowest_reward, high = options.highest_reward;
  const bool given = low != 0 || high != 0;
  if (given && !(low < high && low >= -largest_number && high <= largest_number))
    throw Error(ErrorCode::bad_spec, "rewards", format_number(low) + " to " + format_number(high) + " is not a range",
                "give the lowest and the highest there can be, within 1e15 of 0");
  if (options.folds < 2) throw Error(ErrorCode::bad_spec, "folds", "cross-fitting needs at least 2");
}

Range Request::rewards(const Survey& survey, std::vector<std::string>& notes) const {
  const double low = survey.lowest_reward, high = survey.highest_reward;
  if (options_.lowest_reward != 0 || options_.highest_reward != 0) {
    const Range given{options_.lowest_reward, options_.highest_reward};
    if (low < given.low || high > given.high)
      throw Error(ErrorCode::bad_input, "rewards",
                  "the log holds rewards from " + format_number(low) + " to " + format_number(high),
                  "the range given is " + format_number(given.low) + " to " + format_number(given.high));
    return given;
  }
  if (low >= 0 && high <= 1) {
    if (high > low && high - low < 0.1)
      notes.push_back("rewards are taken to lie between 0 and 1, the log shows them between " + format_number(low) + " and " +
                      format_number(high) + ": where they can be no others give the true range for narrower intervals");
    return {0, 1};
  }
  const Range shown{low, high > low ? high : low + 1};
  notes.push_back("rewards are taken to lie between " + format_number(shown.low) + " and " + format_number(shown.high) +
                  (high > low ? ", as the log shows them" : ", where the log shows one reward only") +
                  ": give the true range for intervals to rely on");
  return shown;
}

Plan Request::plan(const Survey& survey, const GivenRows& given) const {
  if (options_.policies.empty() && given.policies.empty())
    throw Error(ErrorCode::bad_spec, "policies", "none is named", "for example uniform,neural-ts");
  if (!given.predictions.empty() || !given.policies.empty()) check_given(survey, given);
  Plan plan{.policies = options_.policies, .estimators = estimators_, .interval = interval_, .model = options_.model,
            .confidence = options_.confidence, .judging = {}, .folds = std::min(options_.folds, survey.events), .points = options_.points};
  plan.with_model = std::any_of(estimators_.begin(), estimators_.end(), needs_model);
  plan.forward = is_sequence(interval_) && given.predictions.empty();
  plan.replay = std::find(estimators_.begin(), estimators_.end(), "replay") != estimators_.end();
  plan.judging = {.rewards = rewards(survey, plan.notes),
                  .heaviest_lesson = options_.heaviest_lesson,
                  .seed = options_.seed};
  // Predictions that know later events have no place in a bound that holds at all times.
  const bool past_only = plan.forward || !given.predictions.empty();
  if (plan.with_model && past_only && survey.all_probabilities && !survey.copies_differ())
    plan.judging.k = floor_constant;
  if (plan.with_model && !past_only && plan.folds < options_.folds)
    plan.notes.push_back("cross-fitting uses " + std::to_string(plan.folds) + " of " + std::to_string(options_.folds) +
                         " folds: one per event is the most there can be");
  if (std::find(estimators_.begin(), estimators_.end(), "dm") != estimators_.end())
    plan.notes.push_back(
        "the interval of dm tells the spread of the model's predictions, not how wrong the model is");
  const auto left_out = [&](std::size_t count, const char* why) {
    if (count > 0) plan.notes.push_back(std::to_string(count) + " events were left out: " + why);
  };
  left_out(survey.duplicates, "their ids had been given before");
  left_out(survey.beyond_limits, "rewards above 1e15 or probabilities below 1e-15");
  left_out(survey.timeless, "they tell no time, and events were chosen by time");
  left_out(survey.unlike, "their features or contexts are not of the others' kind");
  if (survey.copies_differ())
    plan.notes.push_back(
        "events stand for different numbers of decisions (kept): intervals are Student's of the weighted terms, which "
        "promise their coverage for light weights only");
  if (std::any_of(plan.policies.begin(), plan.policies.end(),
                  [](const std::string& policy) { return policy.starts_with("file:"); }))
    plan.notes.push_back(
        "a saved policy is judged as one that has not learned from these events: of one that has, judge later events "
        "(--since) alone");
  if (!survey.all_probabilities)
    plan.notes.push_back(
        "the log holds the probability of the played action only: support and calibration cannot be checked");
  return plan;
}

Question Plan::question(const std::string& estimator) const {
  return {estimator,  goes_with(estimator, interval) ? interval : "auto",
          confidence, judging.rewards,
          judging.k,  judging.seed};
}

std::unique_ptr<RewardModel> Plan::make_model(Decisions& decisions, const GivenRows& given) const {
  if (!with_model) return nullptr;
  if (!given.predictions.empty()) return given_model(given.predictions, given.actions);
  if (forward) return forward_model(model, decisions.survey().shape, judging.rewards, judging.seed);
  return cross_fitted_model(model, decisions, folds, judging.rewards, judging.seed);
}

std::vector<Candidate> Plan::candidates(const Survey& survey, const GivenRows& given) const {
  std::vector<Candidate> all;
  for (const auto& policy : policies) {
    Candidate candidate{policy, make_target(policy, survey.shape, judging.seed)};
    if (replay) candidate.replayed = make_target(policy, survey.shape, judging.seed);
    all.push_back(std::move(candidate));
  }
  for (const auto& policy : given.policies) {
    Candidate candidate{policy.name, given_target(policy, given.actions)};
    if (replay) candidate.replayed = given_target(policy, given.actions);
    all.push_back(std::move(candidate));
  }
  return all;
}

}  // namespace neuralts::evaluation
