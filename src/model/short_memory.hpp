// A forecaster with a short memory: what rewards would be expected of a context if only the last N rounds had
// ever been.
//
// Ridge regression on the context and a constant, per block; contexts of more than 32 numbers are seen
// through a fixed random projection. It is not there to decide, but to be compared with: where it predicts
// better than a belief that remembers more, that belief knows things that are no longer so. A round costs 8
// q^2, q <= 33.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "math/running_moments.hpp"
#include "model/ridge.hpp"
#include "model/round_list.hpp"

namespace neuralts {

class ShortMemory {
 public:
  ShortMemory(const Shape& shape, std::size_t rounds);

  std::size_t rounds() const { return rounds_; }
  /// Forgets everything, and remembers all that comes.
  void stay();
  /// The same, but for the last `rounds` of what `other` remembers. REQUIRES to remember those itself.
  void stay(const ShortMemory& other, std::size_t rounds);
  /// The reward it expects.
  double forecast(const Slice& context);

  /// Takes the memory that learn() of each of `rounds` needs, so that it cannot fail; gives back what no round
  /// uses, where there was no memory for all and after they were learned.
  void make_room(std::span<const Finished> rounds);
  void give_back() noexcept;
  void learn(const Finished& round);

  std::size_t memory() const;
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  Slice seen(const Slice& context);
  /// Knows the last `rounds` of `latest` and nothing else.
  void begin_anew(const RoundList& latest, std::size_t rounds);

  Shape shape_;
  std::size_t rounds_, fresh_ = 0, count_ = 0;
  bool stays_ = false;
  bool loose_ = false;  // some block may hold memory that no round uses
  double square_ = 0;   // mean of |x|^2: contexts are seen at length 1
  std::vector<Ridge> blocks_;
  RoundList latest_;  // as they were seen; none where it stays
  std::vector<double> phi_;
  std::vector<std::uint32_t> order_;              // of rounds: block by block
  std::vector<double> rows_, rewards_, weights_;  // of one block, on their way into its ridge
};

/// Whether A's squared errors have been larger than B's, of late, by more than their scatter explains.
class PairedErrors {
 public:
  /// `rounds`: that count, more or less.
  explicit PairedErrors(std::size_t rounds) : rounds_(static_cast<double>(rounds)) {}
  void count(double a, double b);
  bool a_is_worse(double deviations) const;
  void clear() { count_ = mean_ = square_ = 0; }

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  double rounds_;
  double count_ = 0, mean_ = 0, square_ = 0;  // of the difference and its square
};

/// Whether errors of late have been larger than those since they were first counted.
class ErrorLevel {
 public:
  /// `rounds`: what "of late" is, one measure after the other.
  explicit ErrorLevel(std::vector<double> rounds);
  void count(double error) noexcept;
  bool has_risen(std::size_t measure) const { return recent_[measure] > all_.mean; }
  /// How many of the last `rounds` came after errors rose, where they rose at once: at the round at which their sum
  /// lies furthest below what it would be had they been the same throughout. Where they grew, `rounds`.
  std::size_t since_risen(std::size_t rounds) const;
  void clear() noexcept;

  void save(Writer& out) const;
  void load(Reader& in);
  // Apart: a file may end before them.
  void save_latest(Writer& out) const;
  void load_latest(Reader& in);

 private:
  std::span<const double> latest() const;  // twice as many as the longest "of late"

  std::vector<double> rounds_, recent_;
  math::RunningMoments all_;
  std::size_t most_;            // of the latest
  std::vector<double> latest_;  // up to twice as many, so that they rarely move
};

}  // namespace neuralts
