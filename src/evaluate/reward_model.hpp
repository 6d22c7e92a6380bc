// What every action would have earned, by a policy's belief that was never taught the event it predicts.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "evaluate/interval.hpp"
#include "evaluate/source.hpp"
#include "evaluate/target.hpp"

namespace neuralts::evaluation {

class RewardModel {
 public:
  virtual ~RewardModel() = default;
  /// Predictions for all actions of event number `index`.
  virtual void predict(const Event& event, std::size_t index, std::span<double> out) = 0;
  /// The event has been judged; it stands for so many.
  virtual void learn(const Event&, double) {}
};

/// `folds` models, predictions held within the range of rewards, each taught all events but those of its fold, drawn;
/// an event is predicted by the one that did not see it. Reads all decisions once. For logs of one fixed
/// policy, and for intervals that are looked at once.
std::unique_ptr<RewardModel> cross_fitted_model(const std::string& policy, Decisions& decisions,
                                                std::size_t folds, const Range& rewards, std::uint64_t seed);
/// One model, taught by the events before: what confidence sequences need (a prediction must not know the future).
std::unique_ptr<RewardModel> forward_model(const std::string& policy, const Shape& shape,
                                           const Range& rewards, std::uint64_t seed);

/// Predictions given from outside, a row of `actions` per event; as they are. predict() throws ContractError where one
/// is no finite number or above 1e15.
std::unique_ptr<RewardModel> given_model(std::span<const double> rows, std::size_t actions);

}  // namespace neuralts::evaluation
