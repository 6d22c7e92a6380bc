// Five lines to a decision: a policy with its own random stream and working memory.
//
//   neuralts::Agent agent({.name = "neural-ts", .shape = {.length = 20}, .seed = 1});
//   const auto& d = agent.select(neuralts::Contexts::per_arm(numbers, 10));
//   agent.learn(contexts[d.arm], reward);
//   agent.save("agent.nts");
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "neuralts/policy.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

/// One stream of decisions. Not for use from several threads at once; for that share agent.policy(). What was moved
/// from can be assigned to or destroyed, no more.
class Agent {
 public:
  explicit Agent(const PolicySpec& spec);

  /// Chooses, and marks the choice as played. The reference holds until the next select().
  const Decision& select(const Contexts& contexts);
  void learn(const Slice& context, double reward);
  void learn(std::span<const Finished> rounds) { policy_->learn(rounds); }

  Policy& policy() { return *policy_; }
  const Policy& policy() const { return *policy_; }
  Stream& stream() { return stream_; }

  /// The policy and the stream: load(path) continues exactly where save(path) stood.
  void save(const std::string& path) const;
  static Agent load(const std::string& path);
  /// What save() writes, in memory: for copies and for other containers. `where` names the bytes in errors.
  std::vector<char> to_bytes() const;
  static Agent from_bytes(std::span<const char> bytes, const std::string& where);

 private:
  Agent(std::unique_ptr<Policy> policy, const Stream& stream);
  std::unique_ptr<Policy> policy_;
  Stream stream_;
  Scratch scratch_;
  Decision decision_;
};

}  // namespace neuralts
#pragma GCC visibility pop
