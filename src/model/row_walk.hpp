// A walk over all rows of a history, some at a time: what is made anew from them need not be made in one go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/history.hpp"

namespace neuralts {

class RowWalk {
 public:
  /// Rows first, first + stride, ... of a block.
  struct Rows {
    std::size_t block = 0, first = 0, count = 0, stride = 1;
  };

  RowWalk() = default;
  /// `evenly`: an even sample of about `panel` rows of every block comes first, then the next such sample.
  explicit RowWalk(bool evenly) : evenly_(evenly) {}

  /// The next rows, at most a panel. None left (count 0): all that the history has now were walked over; those
  /// that are appended later come in the next calls. REQUIRES the same history every time, whose rows stay
  /// where they are.
  template <class T>
  Rows next(const History<T>& history) {
    const auto& blocks = history.blocks();
    if (to_.empty()) from_.resize(blocks.size()), to_.resize(blocks.size());
    for (; sample_ < samples() || go_on(history); ++sample_, block_ = 0)
      for (; block_ < blocks.size(); ++block_, walked_ = 0) {
        const std::uint64_t rows = to_[block_] - from_[block_], stride = stride_of(rows),
                            at = sample_ + walked_ * stride;
        if (sample_ >= stride || at >= rows) continue;
        const std::uint64_t count = std::min<std::uint64_t>(panel, (rows - at + stride - 1) / stride);
        walked_ += count;
        return {block_, from_[block_] + at, count, stride};
      }
    return {};
  }

  void save(Writer& out) const {
    out.value<std::uint8_t>(evenly_);
    out.values(from_);
    out.values(to_);
    for (const std::uint64_t number : {sample_, block_, walked_}) out.value(number);
  }
  template <class T>
  void load(Reader& in, const History<T>& history) {
    evenly_ = in.value<std::uint8_t>() != 0;
    from_ = in.values<std::uint64_t>();
    to_ = in.values<std::uint64_t>(from_.size());
    for (std::uint64_t* number : {&sample_, &block_, &walked_}) *number = in.value<std::uint64_t>();
    bool fits = from_.empty() || from_.size() == history.blocks().size();
    for (std::size_t k = 0; fits && k < to_.size(); ++k)
      fits = from_[k] <= to_[k] && to_[k] <= history.blocks()[k].rows();
    if (!fits || walked_ > history.size() || sample_ > history.size() || block_ > history.blocks().size())
      in.fail();
  }

  static constexpr std::size_t panel = 64;

 private:
  std::uint64_t stride_of(std::uint64_t rows) const {
    return evenly_ ? std::max<std::uint64_t>(1, (rows + panel - 1) / panel) : 1;
  }
  std::uint64_t samples() const {
    std::uint64_t most = 1;
    for (std::size_t k = 0; k < to_.size(); ++k) most = std::max(most, stride_of(to_[k] - from_[k]));
    return most;
  }
  // To what was appended meanwhile, if anything was.
  template <class T>
  bool go_on(const History<T>& history) {
    bool more = false;
    for (std::size_t k = 0; k < to_.size(); ++k) {
      from_[k] = to_[k];
      to_[k] = history.blocks()[k].rows();
      more = more || from_[k] < to_[k];
    }
    sample_ = block_ = walked_ = 0;
    return more;
  }

  bool evenly_ = false;
  std::vector<std::uint64_t> from_, to_;  // rows of each block that the walk is among
  std::uint64_t sample_ = 0, block_ = 0, walked_ = 0;
};

}  // namespace neuralts
