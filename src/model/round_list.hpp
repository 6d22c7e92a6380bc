// Finished rounds that own their numbers: what waits for a training.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "neuralts/archive.hpp"
#include "neuralts/learner.hpp"

namespace neuralts {

class RoundList {
 public:
  bool empty() const { return rewards_.empty(); }
  /// Makes room for `rounds`: appending them cannot fail then.
  void reserve(std::span<const Finished> rounds) {
    if (!rounds.empty()) reserve(rounds.size(), rounds.front().context.values.size());
  }
  /// The same for `count` rounds of that length.
  void reserve(std::size_t count, std::size_t length) {
    const auto more = [](auto& list, std::size_t numbers) {
      if (list.size() + numbers > list.capacity())
        list.reserve(std::max(list.size() + numbers, list.size() + list.size() / 2));
    };
    more(values_, count * length);
    more(blocks_, count), more(rewards_, count), more(weights_, count);
  }
  /// A call that throws has changed nothing.
  void append(std::span<const Finished> rounds) {
    reserve(rounds);
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
    for (std::size_t i = 0; i < size(); ++i) all.push_back((*this)[i]);
    return all;
  }
  Finished operator[](std::size_t i) const {
    const std::size_t d = values_.size() / size();
    return {{std::span(values_).subspan(i * d, d), blocks_[i]}, rewards_[i], weights_[i]};
  }
  std::size_t block(std::size_t i) const { return blocks_[i]; }
  std::size_t size() const { return rewards_.size(); }
  /// Only the last `count` stay.
  void keep_last(std::size_t count) {
    if (count >= size()) return;
    const auto gone = static_cast<std::ptrdiff_t>(size() - count),
               d = static_cast<std::ptrdiff_t>(values_.size() / size());
    values_.erase(values_.begin(), values_.begin() + gone * d);
    blocks_.erase(blocks_.begin(), blocks_.begin() + gone);
    rewards_.erase(rewards_.begin(), rewards_.begin() + gone);
    weights_.erase(weights_.begin(), weights_.begin() + gone);
  }
  /// The last `count` leave.
  void drop_last(std::size_t count) noexcept {
    const std::size_t d = values_.size() / size();
    values_.resize(values_.size() - count * d);
    blocks_.resize(size() - count);
    weights_.resize(size() - count);
    rewards_.resize(size() - count);
  }
  std::size_t memory() const {
    return (values_.capacity() + rewards_.capacity() + weights_.capacity() + blocks_.capacity()) *
           sizeof(double);
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
