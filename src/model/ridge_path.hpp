// A short way around the network: ridge regression of standardised rewards on standardised contexts, one per
// block. What is straight (a line), a product of two columns (a curve), or a sum of functions of one column each
// (bends) is known after a few rounds and exactly, its width with it; the network need only add what is not.
//
// Letters: d context length, K blocks, phi the features: [x, 1], those of the kernel (1 + x.x')^2, or [x, 1] and hats
// (math/hats.hpp) over two standard deviations on either side, 17 of a column, fewer where that is too much; q their
// number; lambda the noise's share of the rewards' variance: with weights of variance 1 the prior variance of a
// reward is phi.phi, and lambda phi'A^-1 phi of it is left after A = lambda I + sum phi phi'.
// A round costs q^2, a context asked about q^2; memory K q^2 / 2 numbers. Where that is too much nothing but
// plays is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "math/upper_panels.hpp"
#include "model/history_cursor.hpp"
#include "model/ridge.hpp"
#include "model/train.hpp"

namespace neuralts {

class RidgePath {
 public:
  enum class Basis { line, curve, bends };
  static constexpr std::uint32_t beyond_since = 14;  // a file's version
  /// `wanted` false: it is not affordable.
  RidgePath(const Shape& shape, Basis basis, bool wanted = true);

  /// Whether a round stays within about a millisecond of one core (a line), a tenth of it (a curve; bends at enough
  /// places).
  bool affordable() const { return !blocks_.empty(); }

  /// Forgets all rounds; noise of variance `lambda` from now on, and so many times what was said of a reward beyond a
  /// line is taken from it. REQUIRES lambda > 0.
  void restart(double lambda, double beyond = 0);

  /// Takes in the rounds of `history` that have come since the last call, so many of them at most. After
  /// restart(): all of them.
  template <class T>
  void catch_up(const History<T>& history, const RoundWeights<T>& weights, std::size_t most = SIZE_MAX);

  /// Takes the memory that catch_up() with `rounds` needs; gives back what no round has used.
  void make_room(std::span<const Finished> rounds);
  void give_back(std::span<const Finished> rounds) noexcept;

  /// Rounds of `history` that have come since the last catch_up().
  template <class T>
  std::size_t waiting(const History<T>& history) const {
    return cursor_.waiting(history);
  }

  std::size_t length() const;

  /// Of standardised contexts of one block, `ldx` apart: the believed reward, in standard deviations from the
  /// mean, and, unless `left` is empty, the share of the prior variance that is left, in 0 .. 1. Several
  /// together take less time each. REQUIRES affordable(), and mean.size() contexts.
  template <class T>
  void ask(const T* x, std::size_t ldx, std::size_t block, Scratch& scratch, std::span<double> mean,
           std::span<double> left) const;
  /// What is left in the one block becomes a product in single precision: the same but for rounding, for half
  /// of the time and less. For a path that learns no more; load() undoes it. REQUIRES affordable() and one block.
  void prepare();
  /// lambda since the last restart.
  double noise() const { return lambda_; }
  /// Rounds of a block.
  std::size_t plays(std::size_t block) const { return plays_[block]; }

  std::size_t memory() const;
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  /// phi of a standardised context, length() numbers.
  template <class T>
  void features(const T* x, double* out) const;
  template <class T>
  void take_in(const typename History<T>::Block& rounds, const T* weights, std::size_t first,
               std::size_t last, Ridge& ridge);
  void left_of(std::span<const double> phi, std::size_t block, Scratch& scratch, std::span<double> out) const;
  void left_prepared(std::span<const double> phi, Scratch& scratch, std::span<double> out) const;

  Shape shape_;
  Basis basis_;
  std::size_t places_ = 0;            // at which a column may bend
  double lambda_ = 1, beyond_ = 0;
  std::vector<Ridge> blocks_;         // empty when not affordable
  std::vector<std::uint64_t> plays_;  // rounds taken in since the last restart, per block
  HistoryCursor cursor_;
  std::vector<double> phi_;
  math::UpperPanels inverse_;         // of the factor, prepared; otherwise empty
};

}  // namespace neuralts
