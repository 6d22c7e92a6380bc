#include "neuralts/agent.hpp"

namespace neuralts {

Agent::Agent(const PolicySpec& spec) : Agent(make_policy(spec), Stream(spec.seed, Purpose::exploration)) {}

Agent::Agent(std::unique_ptr<Policy> policy, const Stream& stream) : policy_(std::move(policy)), stream_(stream) {}

const Decision& Agent::select(const Contexts& contexts) {
  policy_->select(contexts, stream_, scratch_, decision_);
  policy_->played(contexts, decision_.arm);
  return decision_;
}

void Agent::learn(const Slice& context, double reward) {
  const Finished round{context, reward};
  policy_->learn({&round, 1});
}

}  // namespace neuralts
