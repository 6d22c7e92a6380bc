// Layer 1 trained in the span of its rows, for blocks that hold fewer rounds than columns.
//
// A block's part of W_1' (d x m) moves only along its rounds' rows X (n x d) and, by decay, along the line to
// the anchor A:
//   W_1' = A + rho (W_start - A) + X'C,     C: n x m.
// Its products are X W_1' = X A + rho X (W_start - A) + G C with the Gram matrix G = X X', and the gradient
// with respect to W_1' is X'Delta: in these coordinates a step of descent or heavy ball on W_1' is the same
// step on C with gradient Delta, and on rho with gradient 0. The backward product disappears; the forward one
// costs 2 n^2 m instead of 2 n d m operations.
//
// Letters: n rounds of a block, d columns, m units. Memory: n (n + 5 m) numbers a block, while a training lasts.
#pragma once

#include <cstddef>
#include <vector>

#include "model/history.hpp"
#include "model/network.hpp"

namespace neuralts {

/// Whether `steps` steps are cheaper in the span.
template <class T>
bool span_pays(const NetworkShape& shape, const History<T>& history, std::size_t steps);

template <class T>
class RowSpan {
 public:
  /// Starts at the network's present weights. `anchor`: parameters laid out as theta, or null for 0.
  /// `history` and `anchor` must outlive this.
  RowSpan(const Network<T>& network, const History<T>& history, const T* anchor);

  /// Layer 1's products of rows row .. row + count of block k, into `out` (count x m).
  void products(std::size_t k, std::size_t row, std::size_t count, T* out) const;
  /// Where the signals of block k's rounds belong (n x m), before step().
  T* signals(std::size_t k) { return blocks_[k].signals.data(); }

  /// One step on W_1; momentum 0: plain descent.
  void step(T length, T momentum, T decay);

  /// Writes W_1 into the network's parameters; refresh() is the caller's.
  void finish(Network<T>& network) const;

 private:
  struct Block {
    std::vector<T> gram;               // G
    std::vector<T> anchored, started;  // X A (empty: 0), X (W_start - A)
    std::vector<T> c, velocity, signals;
  };
  void start(const Network<T>& network, std::size_t k, Block& block) const;

  const History<T>& history_;
  const T* anchor_;
  std::size_t m_;
  std::vector<Block> blocks_;
  T rho_ = 1, rho_velocity_ = 0;
};

}  // namespace neuralts
