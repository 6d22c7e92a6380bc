// What the rounds most like this one paid: kernel ridge regression of standardised rewards over the sixteen nearest rounds of
// the block. Where the same people, states or machines come again, a little older, it tells what no smooth function of
// their columns does; elsewhere nobody hears it (Stacking).
//
// Letters: d context length, k(x, x') = exp(-5 |x - x'|), G the kernel matrix of the nearest rounds, r their rewards, w their
// weights, lambda the noise's share of the rewards' variance. The forecast is k' (G + lambda / w)^-1 r: 0, the mean
// reward, where nothing is near: contexts that have nothing to do with each other are sqrt(2) apart, near is within 0.6.
// The newest rounds of every block are kept, 2,016 at most, 1,008 of 20 columns, and 2 10^5 numbers of all blocks together:
// whoever is asked looks at all of them, or at the newest where a decision is between very many.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/history_cursor.hpp"
#include "model/train.hpp"
#include "neuralts/scratch.hpp"

namespace neuralts {

class Neighbours {
 public:
  /// `speaks` false, or too many numbers for one tile of rounds of every block: it says nothing and costs nothing.
  Neighbours(const Shape& shape, bool speaks);

  bool speaks() const { return !blocks_.empty(); }
  /// Rounds of a block at most: older ones make room.
  std::size_t most_points() const { return most_points_; }

  /// Forgets all rounds; noise of variance `lambda` from now on. REQUIRES lambda > 0.
  void restart(double lambda);

  /// Takes in the rounds of `history` that have come since the last call, so many of them at most. After
  /// restart(): all of them. Rounds of a block for which there is no memory wait.
  template <class T>
  void catch_up(const History<T>& history, const RoundWeights<T>& weights, std::size_t most = SIZE_MAX);

  /// Rounds of `history` that have come since the last catch_up().
  template <class T>
  std::size_t waiting(const History<T>& history) const {
    return speaks() ? cursor_.waiting(history) : 0;
  }

  /// The believed reward of a standardised context, in standard deviations from the mean; one of so many that are asked
  /// about. REQUIRES speaks().
  template <class T>
  double mean(const T* x, std::size_t block, std::size_t asked, Scratch& scratch) const;

  std::size_t memory() const;
  /// Nothing where it does not speak.
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  /// A ring of rounds.
  struct Block {
    std::vector<float> tiles;             // of math::tile_height rounds: column after column
    std::vector<float> rewards, weights;  // a weight of 0: no round
    std::size_t next = 0;                 // where the next round comes to lie
  };
  struct Near {
    float distance;  // squared
    std::size_t at;
  };
  template <class T>
  void take_in(const typename History<T>::Block& rounds, const T* weights, std::size_t first, std::size_t last,
               Block& block);
  /// Takes memory for so many more rounds, or none.
  void make_room(std::size_t rounds, Block& block) const;
  /// The nearest rounds, `found` at most, nearest first.
  std::span<Near> nearest(const float* x, const Block& block, std::size_t tiles, std::span<Near> found) const;

  Shape shape_;
  double lambda_ = 1;
  std::size_t most_points_;
  std::vector<Block> blocks_;  // empty: it does not speak
  HistoryCursor cursor_;
};

}  // namespace neuralts
