#include "policy/belief_policy.hpp"

namespace neuralts {

BeliefPolicy::BeliefPolicy(PolicySpec spec, Params resolved, std::unique_ptr<Belief> belief, std::unique_ptr<Rule> rule, std::vector<std::string> notes)
    : Policy(std::move(spec), std::move(resolved)), belief_(std::move(belief)), rule_(std::move(rule)), notes_(std::move(notes)) {}

std::vector<std::string> BeliefPolicy::notes() const {
  auto all = notes_;
  for (auto& note : belief_->notes()) all.push_back(std::move(note));
  return all;
}

void BeliefPolicy::do_select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const {
  belief_->predict(contexts, scratch, out.mean, rule_->needs_width() ? std::span<double>(out.width) : std::span<double>());
  rule_->choose(explore, scratch, out);
}

}  // namespace neuralts
