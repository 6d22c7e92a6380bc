// Which finished rounds a bounded or forgetting history keeps, and how much each of them counts.
//
// Bounded: with room for C rounds, the C/2 most recent stay, and of the older ones a uniform sample of C/2:
// those with the smallest of a hash of their number, so that the sample is one at any time and nothing has to
// be remembered of rounds that left. M older rounds are stood for by R of them: each counts M / R times.
// Rounds leave together, whenever the history is an eighth above C. Forgetting: the last N stay, and a round
// of age a counts discount^a times (the last one has age 0). Both: what is forgotten is not stood for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "neuralts/archive.hpp"
#include "neuralts/belief.hpp"

namespace neuralts {

/// Rows of one block that stay, in order, and the factor of each one's weight.
struct KeptRows {
  bool weighted() const;  ///< some factor is not 1

  std::vector<std::uint32_t> rows;
  std::vector<double> factors;
};

/// How a belief's history is kept.
struct KeepSettings {
  std::size_t memory = 0;  ///< bytes of finished rounds; 0: any number
  bool forgets = false;    ///< Belief::retain will be asked for
  bool tracks() const { return memory > 0 || forgets; }
};

class KeptRounds {
 public:
  /// `room`: C, rounds; 0: any number.
  KeptRounds(std::size_t blocks, std::size_t room, std::uint64_t seed)
      : room_(room), seed_(seed), when_(blocks) {}

  /// Makes room for `count` more rounds of that block, so that added() cannot fail.
  void reserve(std::size_t block, std::size_t count);
  /// A round was appended to a block.
  void added(std::size_t block);

  bool full() const { return room_ > 0 && kept_ > room_ + room_ / 8; }
  std::size_t seen() const { return seen_; }

  /// What stays of every block, by the rule above; take() makes it so.
  std::vector<KeptRows> select(const Retention& retention) const;
  void take(const std::vector<KeptRows>& kept, const Retention& retention) noexcept;

  void clear();
  std::size_t memory() const;
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  std::uint64_t priority(std::uint64_t when) const;

  std::size_t room_;
  std::uint64_t seed_;
  std::vector<std::vector<std::uint64_t>> when_;  // numbers of the rounds kept, per block and row
  std::size_t kept_ = 0, seen_ = 0;
  std::uint64_t forgotten_ = 0;  // rounds before this one are not stood for
};

}  // namespace neuralts
