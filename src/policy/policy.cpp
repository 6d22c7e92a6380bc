#include "neuralts/policy.hpp"

#include <cmath>

namespace neuralts {

void Policy::select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const {
  contexts.check(spec_.shape);
  scratch.reset();
  for (auto* list : {&out.probabilities, &out.mean, &out.width, &out.score}) list->assign(contexts.arms(), 0.0);
  out.estimated = false;
  do_select(contexts, explore, scratch, out);
}

void Policy::played(const Slice& context) {
  check_slice(context, spec_.shape);
  do_played(context);
}

void Policy::do_played(const Slice&) {}

void Policy::learn(std::span<const Finished> rounds) {
  for (const auto& round : rounds) {
    check_slice(round.context, spec_.shape);
    if (!std::isfinite(round.reward)) throw ContractError("a reward is not finite: " + std::to_string(round.reward));
  }
  if (!rounds.empty()) do_learn(rounds);
}

}  // namespace neuralts
