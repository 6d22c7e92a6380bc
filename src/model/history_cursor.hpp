// How far something that takes in the rounds of a history has come, block by block. Rounds may leave the
// history meanwhile: those that were never taken in are passed over.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/history.hpp"

namespace neuralts {

class HistoryCursor {
 public:
  explicit HistoryCursor(std::size_t blocks) : taken_(blocks) {}

  void restart() { taken_.assign(taken_.size(), 0); }

  /// Calls take(block, first, last) for the rows from `first` to before `last` that have come to a block since
  /// the last call, `most` rows in all. Where `take` throws, its rows count as not taken.
  template <class T, class Take>
  void advance(const History<T>& history, std::size_t most, const Take& take) {
    for (std::size_t k = 0; k < taken_.size(); ++k) {
      const auto& rounds = history.blocks()[k];
      const std::size_t fresh = std::min(rounds.rows(), rounds.appended() - taken_[k]);
      const std::size_t first = rounds.rows() - fresh, some = std::min(fresh, most);
      if (some > 0) take(k, first, first + some);
      taken_[k] = rounds.appended() - (fresh - some);
      most -= some;
    }
  }

  /// Rounds that have come since the last advance().
  template <class T>
  std::size_t waiting(const History<T>& history) const {
    std::size_t count = 0;
    for (std::size_t k = 0; k < taken_.size(); ++k) count += history.blocks()[k].appended() - taken_[k];
    return count;
  }

  std::size_t memory() const { return taken_.size() * sizeof(std::uint64_t); }
  void save(Writer& out) const { out.values(taken_); }
  void load(Reader& in) { taken_ = in.values<std::uint64_t>(taken_.size()); }

 private:
  std::vector<std::uint64_t> taken_;  // of the history's appended rounds, how many have been dealt with
};

}  // namespace neuralts
