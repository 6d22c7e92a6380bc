// Rounds of arms by name, kept so that all but one arm's can be learned again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "neuralts/archive.hpp"
#include "neuralts/learner.hpp"

namespace neuralts {

/// A round that owns its numbers.
struct KeptRound {
  Finished view() const { return {{x, block}, reward, weight}; }

  std::vector<double> x;
  std::uint32_t block = 0;
  double reward = 0, weight = 1;
};

class ArmRounds {
 public:
  /// Of more than `bytes` the arms with the most rounds give up their oldest, an eighth of all at a time.
  explicit ArmRounds(std::size_t bytes = std::size_t{64} << 20) : bytes_(bytes) {}

  void add(std::span<const Finished> rounds);
  void forget(std::span<const std::uint32_t> blocks);
  void clear() { kept_.clear(); }

  std::size_t size() const { return kept_.size(); }
  /// In the order in which they were learned; valid until the next change.
  Finished operator[](std::size_t i) const { return kept_[i].view(); }

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  std::size_t room() const;
  void make_room();

  std::size_t bytes_;
  std::vector<KeptRound> kept_;
};

}  // namespace neuralts
