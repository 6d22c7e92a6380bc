#include "policy/belief_policy.hpp"

namespace neuralts {

PolicyOverBelief::PolicyOverBelief(PolicySpec spec, Params resolved, std::unique_ptr<Belief> belief, std::vector<std::string> notes)
    : Policy(std::move(spec), std::move(resolved)), belief_(std::move(belief)), notes_(std::move(notes)) {}

std::vector<std::string> PolicyOverBelief::notes() const {
  auto all = notes_;
  for (auto& note : belief_->notes()) all.push_back(std::move(note));
  return all;
}

BeliefPolicy::BeliefPolicy(PolicySpec spec, Params resolved, std::unique_ptr<Belief> belief, std::unique_ptr<Rule> rule, std::vector<std::string> notes)
    : PolicyOverBelief(std::move(spec), std::move(resolved), std::move(belief), std::move(notes)), rule_(std::move(rule)) {}

void BeliefPolicy::do_select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const {
  belief().predict(contexts, scratch, out.mean, rule_->needs_width() ? std::span<double>(out.width) : std::span<double>());
  rule_->choose(explore, scratch, out);
}

}  // namespace neuralts
