// Finished rounds that own their numbers: what waits for a training.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "neuralts/archive.hpp"
#include "neuralts/learner.hpp"

namespace neuralts {

class RoundList {
 public:
  bool empty() const { return rewards_.empty(); }
  void append(std::span<const Finished> rounds) {
    for (const Finished& round : rounds) {
      values_.insert(values_.end(), round.context.values.begin(), round.context.values.end());
      blocks_.push_back(round.context.block);
      rewards_.push_back(round.reward);
      weights_.push_back(round.weight);
    }
  }
  /// Views of the rounds, valid until the list changes.
  std::vector<Finished> rounds() const {
    std::vector<Finished> all;
    const std::size_t d = empty() ? 0 : values_.size() / rewards_.size();
    for (std::size_t i = 0; i < rewards_.size(); ++i)
      all.push_back({{std::span(values_).subspan(i * d, d), blocks_[i]}, rewards_[i], weights_[i]});
    return all;
  }
  void clear() { *this = {}; }

  void save(Writer& out) const {
    out.values(values_);
    out.values(blocks_);
    out.values(rewards_);
    out.values(weights_);
  }
  /// Rounds of that shape.
  void load(Reader& in, const Shape& shape) {
    values_ = in.values<double>();
    blocks_ = in.values<std::uint64_t>();
    rewards_ = in.values<double>(blocks_.size());
    weights_ = in.values<double>(blocks_.size());
    if (values_.size() != blocks_.size() * shape.length) in.fail();
    for (const std::uint64_t block : blocks_)
      if (block >= shape.blocks) in.fail();
  }

 private:
  std::vector<double> values_, rewards_, weights_;
  std::vector<std::uint64_t> blocks_;
};

}  // namespace neuralts
