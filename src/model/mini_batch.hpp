// Rounds drawn for a step, with their memory kept from one draw to the next.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "model/history.hpp"
#include "neuralts/random.hpp"

namespace neuralts {

class MiniBatch {
 public:
  struct Place {
    std::uint32_t block, row;
  };

  /// `count` rounds of `history`, with replacement: block after block, since rounds of one block share its
  /// weights; in a block in the order they were drawn. Holds until the next call.
  template <class T>
  std::span<const Place> draw(const History<T>& history, std::size_t count, Stream& stream) {
    const auto& blocks = history.blocks();
    drawn_.resize(count);
    starts_.assign(blocks.size() + 1, 0);
    for (Place& place : drawn_) {
      std::uint64_t at = stream.below(history.size());
      place.block = 0;
      while (at >= blocks[place.block].rows()) at -= blocks[place.block++].rows();
      place.row = static_cast<std::uint32_t>(at);
      ++starts_[place.block + 1];
    }
    if (blocks.size() == 1) return drawn_;
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    sorted_.resize(count);
    for (const Place& place : drawn_) sorted_[starts_[place.block]++] = place;
    return sorted_;
  }

 private:
  std::vector<Place> drawn_, sorted_;
  std::vector<std::size_t> starts_;  // where each block's begin
};

}  // namespace neuralts
