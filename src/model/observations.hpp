// Finished rounds on their way to a network: mapped as it sees them, kept for training.
#pragma once

#include "model/history.hpp"
#include "model/standardiser.hpp"
#include "neuralts/learner.hpp"

namespace neuralts {

template <class T>
class Observations {
 public:
  Observations(const StandardiserSettings& settings, const Shape& shape) : standardiser_(settings, shape), history_(shape) {}

  const History<T>& history() const { return history_; }
  /// As the history is mapped: a decision takes it over when a training on it is done.
  const Scaling<T>& scaling() const { return standardiser_.scaling(); }

  void append(const Finished& round) {
    standardiser_.observe(round.context.values, round.reward);
    row_.resize(round.context.values.size());
    scaling().map(round.context.values, row_.data());
    history_.append(round.context.block, std::span<const T>(row_), scaling().map_reward(round.reward));
    if (standardiser_.active()) history_.append_raw(round.context.block, round.context.values, round.reward);
  }

  /// Before a training: takes over new statistics when it is time, and maps all rounds anew.
  void refit() { standardiser_.refit(history_); }

  void restart() {
    history_.clear();
    standardiser_.restart();
  }

  std::size_t memory() const { return history_.memory(); }
  void save(Writer& out) const {
    history_.save(out);
    standardiser_.save(out);
  }
  void load(Reader& in) {
    history_.load(in);
    standardiser_.load(in);
  }

 private:
  Standardiser<T> standardiser_;
  History<T> history_;
  std::vector<T> row_;
};

}  // namespace neuralts
