// From judged events to answers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "evaluate/estimator.hpp"
#include "evaluate/interval.hpp"
#include "evaluate/judge.hpp"
#include "neuralts/evaluate.hpp"

namespace neuralts::evaluation {

struct Question {
  std::string estimator, interval;  ///< interval "auto": the estimator's own
  double confidence = 0.95;
  Range rewards;
  double k = 0;  ///< of the confidence sequences, as the events' floors were made; 0 without a model
  std::uint64_t seed = 1;
};

/// "el" for "likelihood" and so on; throws Error(bad_spec) for what is not known, naming the nearest.
std::string estimator_name(const std::string& text);
std::string interval_name(const std::string& text);
bool needs_model(const std::string& estimator);
/// Whether the interval holds at every n at once.
bool is_sequence(const std::string& interval);
/// The interval that "auto" means.
std::string own_interval(const std::string& estimator);

/// Whether the estimator has such an interval.
bool goes_with(const std::string& estimator, const std::string& interval);

/// By how much the value may lie below and above the estimate because of actions that the log never plays: these are
/// counted as a model says, as nothing, or, where `form` (null: replay) is normalised, as `value`, the mean of the rest.
Interval unsupported_reach(const Judgement& judgement, const Range& rewards, const Form* form, double value);

/// The policy's own and those of its diagnostics.
std::vector<std::string> all_doubts(const Judgement& judgement);

/// `doubts` receives what should keep a reader from believing it. Throws Error(bad_spec) for an interval that the
/// estimator does not have.
ValueEstimate answer(const Judgement& judgement, const Question& question, std::vector<std::string>& doubts);

/// The estimate after a growing number of events, at most `points` times, with an interval that holds at all of
/// them at once (of a policy that learns: at each alone).
std::vector<ValueAt> course(const Judgement& judgement, const Question& question,
                            std::span<const double> times, std::size_t points);

}  // namespace neuralts::evaluation
