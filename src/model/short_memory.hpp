// A forecaster with a short memory: what rewards would be expected of a context if only the last N rounds had
// ever been.
//
// Ridge regression on the context and a constant, per block, on the scale of the rounds it remembers
// (model/standardiser.hpp): neither unit nor offset of a column or of rewards matters, and both may change. Contexts
// of more than 32 numbers are seen through a fixed random projection. It is not there to decide, but to be compared
// with: where it predicts better than a belief that remembers more, that belief knows things that are no longer so.
// A round costs 8 q^2, q <= 33.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/ridge.hpp"
#include "model/round_list.hpp"
#include "model/standardiser.hpp"

namespace neuralts {

class ShortMemory {
 public:
  static constexpr std::uint32_t first_version = 13;  // of a file, with a scale of its own
  static constexpr std::size_t all = SIZE_MAX;

  /// Of the last `rounds`, up to a quarter more; `all`: of all that come. The latest are held by others, at most
  /// `held` of them.
  ShortMemory(const Shape& shape, std::size_t rounds, std::size_t held);

  std::size_t rounds() const { return rounds_; }
  /// The reward it expects.
  double forecast(const Slice& context);

  /// Takes the memory that learn() of each of `rounds` needs, so that it cannot fail; gives back what no round
  /// uses, where there was no memory for all and after they were learned.
  void make_room(std::span<const Finished> rounds);
  void give_back() noexcept;
  /// Takes in `round`, the last of `latest`.
  void learn(const Finished& round, const RoundList& latest);
  /// Knows the last `rounds` of `latest` and nothing else. REQUIRES to know them already.
  void begin_anew(const RoundList& latest, std::size_t rounds);

  std::size_t memory() const;
  void save(Writer& out) const;
  void load(Reader& in);
  /// What files before first_version held of one.
  static void skip(Reader& in, const Shape& shape);

 private:
  Slice seen(const Slice& context);
  void learn_anew(const RoundList& latest, std::size_t rounds);
  void fit_scale(const RoundList& latest, std::size_t rounds);

  Shape shape_;
  std::size_t rounds_, count_ = 0, fitted_ = 0;  // rounds so far, and when the scale was last fitted
  bool loose_ = false;                           // some block may hold memory that no round uses
  Scaling<double> scaling_;
  std::vector<Ridge> blocks_;
  // Working memory. Rounds that tell the scale; a context as scaled, and as seen; rounds, block by block; those of
  // one block, on their way into its ridge.
  std::vector<Finished> sample_;
  SpreadSample column_;
  std::vector<double> scaled_, phi_;
  std::vector<std::uint32_t> order_;
  std::vector<double> rows_, rewards_, weights_;
};

}  // namespace neuralts
