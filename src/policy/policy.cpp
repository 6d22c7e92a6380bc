#include "neuralts/policy.hpp"

#include <cmath>

#include "model/train.hpp"

namespace neuralts {

void Model::select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const {
  contexts.check(shape());
  scratch.reset();
  for (auto* list : {&out.probabilities, &out.mean, &out.width, &out.score}) list->assign(contexts.arms(), 0.0);
  out.estimated = false;
  do_select(contexts, explore, scratch, out);
}

void Learner::played(const Slice& context) {
  check_slice(context, spec().shape);
  do_played(context);
}

void Learner::observe(std::span<const Finished> rounds) {
  for (const auto& round : rounds) {
    check_slice(round.context, spec().shape);
    if (!std::isfinite(round.reward)) throw ContractError("a reward is not finite: " + std::to_string(round.reward));
    if (!std::isfinite(round.weight) || round.weight < 0)
      throw ContractError("a weight is not a finite number of 0 or more: " + std::to_string(round.weight));
  }
  if (!rounds.empty()) do_observe(rounds);
}

bool Learner::train(const Training& how) {
  if (!training_due()) return true;
  std::vector<TrainJob> jobs;
  prepare_training(jobs);
  TrainEngine& engine = how.engine != nullptr ? *how.engine : processor_engine();
  if (!engine.train(jobs, how)) return false;
  finish_training();
  return true;
}

void Policy::learn(std::span<const Finished> rounds) {
  learner_->observe(rounds);
  if (learner_->training_due()) learner_->train();
}

}  // namespace neuralts
