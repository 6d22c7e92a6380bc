// The line of arms that are clicked or not: logistic regression of rewards that take two values on standardised contexts,
// one per block. Probabilities are no line of the columns, least of all where clicks are rare; the logarithm of their odds
// may be one.
//
// Letters: d context length, K blocks, phi = [x, 1] of q = d + 1 numbers, y 1 where the larger of the two rewards came and
// else 0, p(m) = 1 / (1 + exp(-m)), c a round's weight; w ~ N([0, .., 0, b], 4 I) before the first round, b the logarithm of
// the odds of the mean reward. A round is taken in by Laplace's approximation, its mode found exactly:
//   m = phi.w, v = phi'A^-1 phi, s = c (y - p(m + v s)),  w += s A^-1 phi,  A += c p (1 - p) phi phi' at m + v s.
// A round costs 2 q^2, a context asked about q; memory K q^2 / 2 numbers.
//
// It speaks once each of two values has come twice and no other, which is asked anew at every restart; a third value
// silences it until then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "math/rank_one_cholesky.hpp"
#include "model/history_cursor.hpp"
#include "model/train.hpp"

namespace neuralts {

class LogisticPath {
 public:
  static constexpr std::uint32_t first_version = 12;  // of a file

  /// `wanted` false, or a round would take more than about a tenth of a millisecond: it never says anything and costs nothing.
  LogisticPath(const Shape& shape, bool wanted);

  /// Whether it ever may speak, and whether it does.
  bool wanted() const { return !blocks_.empty(); }
  bool speaks() const { return speaks_; }

  /// Forgets all rounds, and which values there are.
  void restart();

  /// Takes in the rounds of `history` that have come since the last call, so many of them at most. After
  /// restart(): all of them. Rounds of a block for which there is no memory wait.
  template <class T>
  void catch_up(const History<T>& history, const RoundWeights<T>& weights, std::size_t most = SIZE_MAX);

  /// Rounds of `history` that have come since the last catch_up().
  template <class T>
  std::size_t waiting(const History<T>& history) const {
    return wanted() ? cursor_.waiting(history) : 0;
  }

  /// The believed reward of a standardised context, in standard deviations from the mean. REQUIRES speaks().
  template <class T>
  double mean(const T* x, std::size_t block) const;

  std::size_t memory() const;
  /// Nothing where it is not wanted.
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  struct Block {
    math::RankOneCholesky factor;  // of A; empty before the first round
    std::vector<double> weights;   // w
  };
  std::size_t length() const { return shape_.length + 1; }
  /// Which values there are.
  template <class T>
  void look_at_rewards(const History<T>& history);
  /// 0 or 1, of a reward; neither: -1.
  int outcome(double reward) const;
  Block blank() const;
  template <class T>
  void take_in(const typename History<T>::Block& rounds, const T* weights, std::size_t first, std::size_t last, Block& block);
  void learn(int outcome, double weight, Block& block);  // phi_

  Shape shape_;
  std::vector<Block> blocks_;  // empty: not wanted
  HistoryCursor cursor_;
  bool looked_ = false, speaks_ = false;
  double low_ = 0, high_ = 0;         // the two rewards
  std::vector<double> phi_, solved_;  // working memory of learn()
};

}  // namespace neuralts
