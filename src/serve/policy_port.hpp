// What the service asks of the library: something that decides and never changes, and something that learns and
// makes such things.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "neuralts/learner.hpp"

namespace neuralts::serve {

using DecisionModel = Model;

/// The model whose ModelLearner::publish() these bytes are, prepared for many decisions. `where` names them in
/// errors.
std::shared_ptr<const DecisionModel> decision_model(std::string_view bytes, const std::string& where);

/// Learns round by round; a pure function of its spec and of what it was given. One thread at a time.
class ModelLearner {
 public:
  explicit ModelLearner(const PolicySpec& spec) : learner_(make_learner(spec)) {}
  /// Continues where save() stood, with the values in force then.
  explicit ModelLearner(std::string_view bytes);
  /// The same from a bare state, as checkpoints of version 1 have it.
  ModelLearner(const PolicySpec& spec, std::string_view state);

  /// Between what the decision was, before its observe().
  void offered(const Contexts& contexts) { learner_->offered(contexts); }
  void observe(const Slice& context, double reward);
  /// Trains if it is time to. False: `stop` was asked for; call train() again before anything else.
  bool train(const std::stop_token& stop);
  /// The model as bytes.
  std::string publish() const;
  std::string save() const;
  const PolicySpec& spec() const { return learner_->spec(); }

 private:
  std::unique_ptr<Learner> learner_;
};

}  // namespace neuralts::serve
