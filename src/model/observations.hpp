// Finished rounds on their way to a network: mapped as it sees them, kept for training.
#pragma once

#include "model/history.hpp"
#include "model/network.hpp"
#include "model/standardiser.hpp"
#include "neuralts/policy.hpp"

namespace neuralts {

template <class T>
class Observations {
 public:
  Observations(const StandardiserSettings& settings, const Shape& shape) : standardiser_(settings, shape), history_(shape) {}

  const History<T>& history() const { return history_; }
  const Standardiser<T>& standardiser() const { return standardiser_; }

  /// The contexts as the network sees them, in memory of `scratch`.
  Batch<T> map(const Contexts& contexts, Scratch& scratch) const {
    const std::size_t n = contexts.arms(), d = contexts.length(), rows = contexts.shared() ? 1 : n;
    const auto blocks = scratch.take<std::uint32_t>(n);
    const auto x = scratch.take<T>(rows * d);
    for (std::size_t k = 0; k < n; ++k) blocks[k] = static_cast<std::uint32_t>(contexts[k].block);
    for (std::size_t r = 0; r < rows; ++r) standardiser_.map(contexts[r].values, x.data() + r * d);
    return {n, x.data(), contexts.shared() ? 0 : d, blocks.data()};
  }

  void append(const Finished& round) {
    standardiser_.observe(round.context.values, round.reward);
    row_.resize(round.context.values.size());
    standardiser_.map(round.context.values, row_.data());
    history_.append(round.context.block, std::span<const T>(row_), standardiser_.map_reward(round.reward));
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
