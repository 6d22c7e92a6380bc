// Finished rounds as the trainer reads them: per block, rows of contexts side by side with their rewards.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/room.hpp"
#include "model/identity.hpp"
#include "model/kept_rounds.hpp"
#include "neuralts/archive.hpp"
#include "neuralts/context.hpp"

namespace neuralts {

/// Per-round weights, per block as in the history (a bootstrap member's mask); empty: all 1.
template <class T>
using RoundWeights = std::vector<std::vector<T>>;

/// Disjoint contexts cost d numbers a round, not K d. Appending is O(d).
template <class T>
class History {
 public:
  struct Block {
    std::vector<T> x;              // rows of d numbers
    std::vector<T> rewards;        // one per row
    // The same before they were mapped for the network; empty when they are not mapped.
    std::vector<T> raw, raw_rewards;
    // What was said of each reward that no line of its context says, in the reward's own unit; empty where none is kept.
    std::vector<T> beyond;
    std::size_t left = 0;             // rows that were here and are no longer
    std::size_t rows() const { return rewards.size(); }
    std::size_t appended() const { return left + rows(); }
  };

  static constexpr std::uint32_t beyond_since = 14;  // a file's version

  explicit History(const Shape& shape, bool keeps_beyond = false)
      : shape_(shape), blocks_(shape.blocks), keeps_beyond_(keeps_beyond) {}

  const Shape& shape() const { return shape_; }
  std::size_t size() const { return size_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  /// Rounds are only ever added as long as this stays the same.
  const Identity& identity() const { return identity_; }

  /// Makes room for `count` more rounds of that block, so that the next append (and append_raw, if `raw`)
  /// cannot fail. `tight`: by an eighth, not by doubling.
  void reserve(std::size_t block, bool raw, bool tight, std::size_t count = 1) {
    Block& rounds = blocks_[block];
    make_room(rounds.x, count * shape_.length, tight);
    make_room(rounds.rewards, count, tight);
    if (keeps_beyond_) make_room(rounds.beyond, count, tight);
    if (raw) make_room(rounds.raw, count * shape_.length, tight), make_room(rounds.raw_rewards, count, tight);
  }
  /// Only those rows of every block stay, in their order.
  void keep(const std::vector<KeptRows>& kept) noexcept {
    identity_.changed();
    size_ = 0;
    const auto compact = [](std::vector<T>& list, const KeptRows& rows, std::size_t length) {
      if (list.empty()) return;
      for (std::size_t i = 0; i < rows.rows.size(); ++i)
        std::copy_n(list.data() + rows.rows[i] * length, length, list.data() + i * length);
      list.resize(rows.rows.size() * length);
    };
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      blocks_[k].left += blocks_[k].rows() - kept[k].rows.size();
      compact(blocks_[k].x, kept[k], shape_.length);
      compact(blocks_[k].rewards, kept[k], 1);
      compact(blocks_[k].raw, kept[k], shape_.length);
      compact(blocks_[k].raw_rewards, kept[k], 1);
      compact(blocks_[k].beyond, kept[k], 1);
      size_ += blocks_[k].rows();
    }
  }

  /// REQUIRES x.size() == shape().length, block < shape().blocks.
  void append(std::size_t block, std::span<const T> x, T reward, double beyond = 0) {
    blocks_[block].x.insert(blocks_[block].x.end(), x.begin(), x.end());
    blocks_[block].rewards.push_back(reward);
    if (keeps_beyond_) blocks_[block].beyond.push_back(static_cast<T>(beyond));
    ++size_;
  }
  /// Keeps the unmapped numbers of the round just appended to `block`.
  void append_raw(std::size_t block, std::span<const double> x, double reward) {
    for (const double value : x) blocks_[block].raw.push_back(static_cast<T>(value));
    blocks_[block].raw_rewards.push_back(static_cast<T>(reward));
  }
  /// Takes `by` from column i, from the reward, of every round's raw numbers.
  void shift_raw(std::size_t i, double by) {
    for (auto& block : blocks_)
      for (std::size_t at = i; at < block.raw.size(); at += shape_.length)
        block.raw[at] = static_cast<T>(static_cast<double>(block.raw[at]) - by);
  }
  void shift_raw_rewards(double by) {
    for (auto& block : blocks_)
      for (T& reward : block.raw_rewards) reward = static_cast<T>(static_cast<double>(reward) - by);
  }
  /// Writes `rows` rounds of a block anew: map_row(raw row, mapped row), map_reward(raw reward) -> mapped
  /// reward. REQUIRES raw numbers.
  template <class MapRow, class MapReward>
  void remap(std::size_t k, std::size_t first, std::size_t rows, MapRow&& map_row, MapReward&& map_reward) {
    const std::size_t d = shape_.length;
    Block& block = blocks_[k];
    identity_.changed();
    for (std::size_t row = first; row < first + rows; ++row) {
      map_row(std::span<const T>(block.raw).subspan(row * d, d), block.x.data() + row * d);
      block.rewards[row] = map_reward(block.raw_rewards[row]);
    }
  }

  void clear() {
    identity_.changed();
    blocks_.assign(shape_.blocks, {});
    size_ = 0;
  }

  std::size_t memory() const {
    std::size_t numbers = 0;
    for (const auto& block : blocks_)
      for (const auto* list : {&block.x, &block.rewards, &block.raw, &block.raw_rewards, &block.beyond})
        numbers += list->capacity();
    return numbers * sizeof(T);
  }

  void save(Writer& out) const {
    for (const auto& block : blocks_) {
      for (const auto* list : {&block.x, &block.rewards, &block.raw, &block.raw_rewards}) out.values(*list);
      if (keeps_beyond_) out.values(block.beyond);
    }
  }
  void load(Reader& in) {
    identity_.changed();
    size_ = 0;
    for (auto& block : blocks_) {
      for (auto* list : {&block.x, &block.rewards, &block.raw, &block.raw_rewards}) *list = in.values<T>();
      const std::size_t rows = block.rows(), raw = block.raw_rewards.size();
      if (block.x.size() != rows * shape_.length || (raw != 0 && raw != rows) ||
          block.raw.size() != raw * shape_.length)
        in.fail();
      if (keeps_beyond_) block.beyond = in.version() >= beyond_since ? in.values<T>(rows) : std::vector<T>(rows);
      size_ += rows;
    }
  }
  /// How many rows left each block, where some may have.
  void save_left(Writer& out) const {
    for (const auto& block : blocks_) out.value<std::uint64_t>(block.left);
  }
  void load_left(Reader& in) {
    for (auto& block : blocks_) block.left = in.value<std::uint64_t>();
  }

 private:
  Shape shape_;
  std::vector<Block> blocks_;
  std::size_t size_ = 0;
  bool keeps_beyond_;
  Identity identity_;
};

}  // namespace neuralts
