#include "neuralts/policy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <new>
#include <numeric>

#include "base/text.hpp"
#include "model/train.hpp"
#include "neuralts/limits.hpp"
#include "policy/even_share.hpp"

namespace neuralts {

namespace {

// What do_select() owes, whoever wrote it.
void check_choice(const Decision& decision, std::size_t arms, const std::string& policy) {
  if (decision.arm >= arms)
    throw ContractError("policy '" + policy + "': arm " + std::to_string(decision.arm) + " was chosen of " +
                        std::to_string(arms) + " offered, counted from 0: its rule is wrong");
  const auto& p = decision.probabilities;
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  const bool negative = std::any_of(p.begin(), p.end(), [](double value) { return value < 0; });
  if (p.size() != arms || negative || std::abs(sum - 1) > 1e-6)
    throw ContractError("policy '" + policy + "': " + std::to_string(p.size()) + " probabilities of " +
                        std::to_string(arms) + " arms sum to " + format_number(sum) +
                        (negative ? ", some are negative" : "") + ": its rule is wrong");
}

bool all_finite(const Decision& decision) {
  double sum = decision.probability;  // x - x is 0, or not a number
  for (const auto* list : {&decision.probabilities, &decision.mean, &decision.width, &decision.score})
    for (const double value : *list) sum += value - value;
  return std::isfinite(sum);
}

void check_round(const Finished& round, const Shape& shape) {
  check_slice(round.context, shape);
  check_reward(round.reward);
  if (!(round.weight >= 0 && round.weight <= largest_number))
    throw ContractError("a weight is not a number from 0 to 1e15: " + format_number(round.weight));
}

// The first number that is not finite: "the mean of arm 2 is nan".
std::string not_finite(const Decision& decision) {
  const std::pair<const char*, const std::vector<double>*> lists[] = {
      {"mean", &decision.mean},
      {"width", &decision.width},
      {"score", &decision.score},
      {"probability", &decision.probabilities}};
  for (const auto& [name, list] : lists)
    for (std::size_t k = 0; k < list->size(); ++k)
      if (!std::isfinite((*list)[k]))
        return std::string("the ") + name + " of arm " + std::to_string(k) + " is " +
               format_number((*list)[k]);
  return "the probability of the choice is " + format_number(decision.probability);
}

[[noreturn]] void refuse_unbelievable(const Contexts& contexts, const Decision& decision) {
  double largest = 0;
  for (std::size_t k = 0; k < contexts.arms(); ++k)
    for (const double value : contexts[k].values) largest = std::max(largest, std::abs(value));
  char text[32];
  std::snprintf(text, sizeof text, "%g", largest);
  throw ContractError(
      "contexts are too large for what this policy has learned so far: their largest number is " +
      std::string(text) + ", and what is believed of them is more than a number holds (" +
      not_finite(decision) + "): standardise inputs, set precision=float64, or use another unit");
}

}  // namespace

void Model::select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const {
  contexts.check(shape());
  scratch.reset();
  for (auto* list : {&out.probabilities, &out.mean, &out.width, &out.score}) list->assign(contexts.arms(), 0.0);
  out.estimated = false;
  const Stream before = explore;
  try {
    do_select(contexts, explore, scratch, out);
    if (!all_finite(out)) refuse_unbelievable(contexts, out);
    check_choice(out, contexts.arms(), spec().name);
  } catch (...) {
    explore = before;
    throw;
  }
  if (head_->floor > 0)
    spread_evenly(std::min(1.0, head_->floor * static_cast<double>(contexts.arms())), explore, out);
}

Learner::Learner(PolicySpec spec, Params resolved) {
  const auto floor = resolved.find("floor");
  const double least = floor == resolved.end() ? 0 : parse_number(floor->second).value_or(0);
  head_ = std::make_shared<const ModelHead>(ModelHead{std::move(spec), std::move(resolved), least});
}

void Learner::offered(const Contexts& contexts) {
  if (contexts.arms() == 0) throw ContractError("a decision between no arms");
  check_slice(contexts[0], spec().shape);
  do_offered(contexts);
}

void Learner::played(const Slice& context) {
  check_slice(context, spec().shape);
  do_played(context);
}

void Learner::observe(std::span<const Finished> rounds) {
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    try {
      check_round(rounds[i], spec().shape);
    } catch (const ContractError& refused) {
      if (rounds.size() == 1) throw;
      throw ContractError("round " + std::to_string(i) + " of " + std::to_string(rounds.size()) + ", from 0: " +
                          refused.what());
    }
  }
  if (!rounds.empty()) do_observe(rounds);
}

bool Learner::train(const Training& how) {
  TrainEngine& engine = how.engine != nullptr ? *how.engine : processor_engine();
  std::vector<TrainJob> jobs;
  while (training_due()) {  // rounds that came together may ask for several
    jobs.clear();
    prepare_training(jobs);
    if (!engine.train(jobs, how)) return false;
    finish_training();
  }
  return true;
}

void Policy::learn(std::span<const Finished> rounds) {
  learner_->observe(rounds);
  try {
    if (learner_->training_due()) learner_->train();
  } catch (const std::bad_alloc&) {
    ++starved_;
  }
}

std::vector<std::string> Policy::notes() const {
  auto notes = learner_->notes();
  if (starved_ > 0)
    notes.push_back("memory was short for a training " + std::to_string(starved_) +
                    " times; it was tried again with the next rounds: bound the history by `memory`, or take fewer `units`");
  return notes;
}

}  // namespace neuralts
