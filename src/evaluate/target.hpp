// A policy that is judged: with which probability it would play each action, and what it learns from an event
// afterwards.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "neuralts/evaluate.hpp"
#include "neuralts/event.hpp"
#include "neuralts/policy.hpp"

namespace neuralts::evaluation {

class Target {
 public:
  virtual ~Target() = default;
  /// Probabilities of the event's actions into `out`; they sum to 1. `index`: of the event among all. The event
  /// has a reward and numbers.
  virtual void probabilities(const Event& event, std::size_t index, std::span<double> out) = 0;
  /// Learns from the event, as if it had been seen `weight` times. Only called after its probabilities were
  /// asked for.
  virtual void learn(const Event&, double) {}
  virtual bool learns() const { return false; }
  /// After the last event: what should keep a reader from believing the answer, in words. Throws Error(bad_spec)
  /// where there is none to believe.
  virtual std::vector<std::string> doubts() const { return {}; }
};

/// From text: "uniform"; "constant:ARM" (an action's id, or its position from 0); "logged"; "file:agent.nts",
/// frozen; otherwise a policy's name with parameters, "neural-ts:nu=0.1", that starts untaught and learns from
/// the log. Throws Error(bad_spec | not_found | corrupt).
std::unique_ptr<Target> make_target(const std::string& text, const Shape& shape, std::uint64_t seed);

/// "name:a=1,b=2" -> a specification for contexts of `shape`.
PolicySpec policy_spec(const std::string& text, const Shape& shape, std::uint64_t seed);

/// Probabilities given from outside, a row of `actions` per event. Throws ContractError where those of an event do
/// not sum to 1.
std::unique_ptr<Target> given_target(const GivenPolicy& policy, std::size_t actions);

/// A policy that learns from what it is told, with its own stream and working memory: what learning targets and
/// reward models share.
class Learning {
 public:
  Learning(const PolicySpec& spec, std::uint64_t seed);
  const Decision& look(const Event& event);
  /// The weight may be a fraction; 0 teaches nothing.
  void learn(const Event& event, double weight);

 private:
  std::unique_ptr<Policy> policy_;
  Stream explore_;
  Scratch scratch_;
  Decision decision_;
};

}  // namespace neuralts::evaluation
