// Where a curve is too long: kernel ridge regression of standardised rewards on standardised contexts, one per
// block, over the block's first rounds. Contexts much like this one tell what it pays, and in the first hundreds
// of rounds they tell more than a line of as many columns as there were rounds; later the network knows better.
//
// Letters: d context length, K blocks, k(x, x') = exp(-|x - x'|), n points of a block, G their kernel matrix,
// r their rewards, lambda the noise's share of the rewards' variance, L L' = G + lambda I, y = L^-1 r,
// a = L'^-1 y. The forecast is sum a_i k(x, x_i).
// A round costs n^2, a context asked about n d, and so do all K arms together no more than 316 sqrt(K) d: less
// than the line's K d^2 may be. Memory K n^2 / 2 numbers, 5 10^4 at most, and K n d for the points.
#pragma once

#include <cstddef>
#include <vector>

#include "math/growing_cholesky.hpp"
#include "model/history_cursor.hpp"
#include "model/train.hpp"

namespace neuralts {

class KernelPath {
 public:
  /// `speaks` false: it says nothing and costs nothing.
  KernelPath(const Shape& shape, bool speaks);

  bool speaks() const { return !blocks_.empty(); }
  /// Points of a block at most: what comes later is not taken in.
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

  /// The believed reward of a standardised context, in standard deviations from the mean. REQUIRES speaks().
  template <class T>
  double mean(const T* x, std::size_t block) const;

  std::size_t memory() const;
  /// Nothing where it does not speak.
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  struct Block {
    std::vector<float> points;            // x_i, rows of d numbers
    std::vector<double> whitened, alpha;  // y, a
    math::GrowingCholesky<double> factor;
    std::size_t size() const { return whitened.size(); }
    void truncate(std::size_t n, std::size_t d) noexcept;
  };
  template <class T>
  void take_in(const typename History<T>::Block& rounds, const T* weights, std::size_t first, std::size_t last,
               Block& block);
  void add(double reward, double weight, Block& block);

  Shape shape_;
  double lambda_ = 1;
  std::size_t most_points_;
  std::vector<Block> blocks_;  // empty: it does not speak
  HistoryCursor cursor_;
  std::vector<double> row_;  // working memory of add()
};

}  // namespace neuralts
