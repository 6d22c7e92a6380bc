// Belief x rule = policy.
#pragma once

#include <memory>

#include "model/belief.hpp"
#include "policy/rule.hpp"

namespace neuralts {

/// A policy that knows what its belief knows: everything but the choice.
class PolicyOverBelief : public Policy {
 public:
  std::size_t memory() const override { return belief_->memory(); }
  std::vector<std::string> notes() const override;
  void save(Writer& out) const override { belief_->save(out); }
  void restore(Reader& in) override { belief_->load(in); }

 protected:
  /// `notes`: remarks of the policy itself, before those of the belief.
  PolicyOverBelief(PolicySpec spec, Params resolved, std::unique_ptr<Belief> belief, std::vector<std::string> notes = {});

  const Belief& belief() const { return *belief_; }
  void do_played(const Slice& context) override { belief_->played(context); }
  void do_learn(std::span<const Finished> rounds) override { belief_->learn(rounds); }

 private:
  std::unique_ptr<Belief> belief_;
  std::vector<std::string> notes_;
};

class BeliefPolicy final : public PolicyOverBelief {
 public:
  BeliefPolicy(PolicySpec spec, Params resolved, std::unique_ptr<Belief> belief, std::unique_ptr<Rule> rule, std::vector<std::string> notes = {});

 protected:
  void do_select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const override;

 private:
  std::unique_ptr<Rule> rule_;
};

}  // namespace neuralts
