// Finished rounds on their way to a network: mapped as it sees them, kept for training.
#pragma once

#include "model/history.hpp"
#include "model/standardiser.hpp"
#include "model/train.hpp"
#include "neuralts/learner.hpp"

namespace neuralts {

template <class T>
class Observations {
 public:
  Observations(const StandardiserSettings& settings, const Shape& shape) : standardiser_(settings, shape), history_(shape) {}

  const History<T>& history() const { return history_; }
  /// Of the history's rounds; empty while every weight was 1.
  const RoundWeights<T>& weights() const { return weights_; }
  /// Their sum: how many rounds the history counts for.
  double total_weight() const { return total_weight_; }
  /// As the history is mapped: a decision takes it over when a training on it is done.
  const Scaling<T>& scaling() const { return standardiser_.scaling(); }

  void append(const Finished& round) {
    standardiser_.observe(round.context.values, round.reward);
    row_.resize(round.context.values.size());
    scaling().map(round.context.values, row_.data());
    history_.append(round.context.block, std::span<const T>(row_), scaling().map_reward(round.reward));
    weigh(round.context.block, round.weight);
    if (!standardiser_.active()) return;
    difference_.resize(row_.size());
    standardiser_.difference(round.context.values, difference_);
    history_.append_raw(round.context.block, difference_, standardiser_.difference(round.reward));
  }

  /// Before a training: takes over new statistics when it is time, and maps all rounds anew. Returns whether it did.
  bool refit() { return standardiser_.refit(history_); }
  /// Rounds of the statistics in force; 0: none yet, every context looks alike. 1 where nothing is standardised.
  std::size_t fitted() const { return standardiser_.active() ? standardiser_.fitted() : 1; }

  void restart() {
    history_.clear();
    weights_.clear();
    total_weight_ = 0;
    standardiser_.restart();
  }

  std::size_t memory() const { return history_.memory(); }
  void save(Writer& out) const {
    history_.save(out);
    out.value<std::uint8_t>(!weights_.empty());
    for (const auto& block : weights_) out.values(block);
    out.value(total_weight_);
    standardiser_.save(out);
  }
  void load(Reader& in) {
    history_.load(in);
    weights_.resize(in.value<std::uint8_t>() != 0 ? history_.blocks().size() : 0);
    for (std::size_t k = 0; k < weights_.size(); ++k) weights_[k] = in.values<T>(history_.blocks()[k].rows());
    total_weight_ = in.value<double>();
    standardiser_.load(in);
  }

 private:
  // The first weight that is not 1 gives every round before it a 1.
  void weigh(std::size_t block, double weight) {
    total_weight_ += weight;
    if (weights_.empty() && weight == 1) return;
    if (weights_.empty())
      for (const auto& rounds : history_.blocks()) weights_.emplace_back(rounds.rows(), T(1));
    weights_[block].resize(history_.blocks()[block].rows());
    weights_[block].back() = static_cast<T>(weight);
  }

  Standardiser<T> standardiser_;
  History<T> history_;
  RoundWeights<T> weights_;
  double total_weight_ = 0;
  std::vector<T> row_;
  std::vector<double> difference_;
};

}  // namespace neuralts
