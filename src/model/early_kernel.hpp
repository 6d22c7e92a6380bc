// The first rounds of the default belief: what contexts like this one paid, in this arm and, as far as that tells, in
// others, decides before line, curve and network know much. It is the belief of `kernel-ucb` (model/kernel.hpp),
// standardised, an intercept behind contexts of arms with weights of their own, and speaks alone for a hundred
// rounds and less and less for three hundred more, in the same proportion for fewer where arms have few weights: three for
// each. Where contexts share their weights it speaks alone for two hundred, since what columns tell of an action the
// others know later.
//
//   part = (1 for a quarter or half of the rounds, then falling to 0 at the last) / (1 + exp(-odds - lead))
// lead is by how much its forecasts were likelier than the mixture's that it stands in for, in nats, with normal
// noise as large as the smaller of their errors. It begins with odds of e for every column that arms with weights of
// their own have, e^5 at least and e^10 at most, and e^10 where contexts share their weights. Who listens takes less of it
// the more the arm alone has told (ArmMeans::untold).
//
// A round costs n^2 for n rounds, a decision between K arms K n^2 / 2; 400 rounds at most, fewer where that would be
// too much. What is known is never changed: a copy of it learns, so that decisions may go on with what they have.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "model/kernel.hpp"
#include "model/standardised.hpp"

namespace neuralts {

class EarlyKernel {
 public:
  /// What a decision asks.
  using Spoken = StandardisedBelief<KernelBelief>::Known;

  struct Settings {
    bool speaks = true;    ///< false: it never says anything and costs nothing
    double intercept = 0;  ///< how far arms with weights of their own are apart where contexts are alike
  };
  EarlyKernel(const Shape& shape, const Settings& settings);

  /// Whether it had or has a say, and whether it has.
  bool expected() const { return most_rounds_ > 0; }
  bool speaks() const { return belief_ != nullptr; }
  /// Rounds after which it is silent.
  std::size_t most_rounds() const { return most_rounds_; }

  /// Takes all memory that take_in() needs. Changes nothing.
  void make_room(std::span<const Finished> rounds);
  /// The rounds that make_room() was given.
  void take_in(std::span<const Finished> rounds) noexcept;
  /// Of one context, in the rewards' unit. REQUIRES speaks().
  double forecast(const Contexts& one, Scratch& scratch) const;
  /// How far its forecast of a round was from what came, and how far the mixture's, in standard deviations.
  void compare(double error, double error_of_mixture);
  /// How far it is heard, 0 .. 1.
  double part() const;
  /// How much of that there is time for, 0 .. 1, in a decision between `arms` that share their weights, after so many rounds.
  static double time_for(std::size_t arms, std::size_t rounds);
  /// Stays as it is. Nothing where it does not speak.
  std::shared_ptr<const Spoken> predictor() const;
  std::shared_ptr<const Spoken> read_predictor(Reader& in) const;
  /// It says no more.
  void end() noexcept { belief_.reset(); }

  std::size_t memory() const { return belief_ ? belief_->memory() : 0; }
  /// Whether a file of that version says anything of it.
  bool in_file(std::uint32_t version) const { return expected() && (shape_.blocks > 1 || version >= shared_since); }
  /// Nothing where it never speaks.
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  static constexpr std::uint32_t shared_since = 8;  // a file's version
  using Known = StandardisedBelief<KernelBelief>;
  std::shared_ptr<Known> blank() const;

  Shape shape_;
  double intercept_;
  std::size_t most_rounds_;
  std::shared_ptr<const Known> belief_;
  std::shared_ptr<Known> next_;  // of make_room()
  std::uint64_t rounds_ = 0;
  double compared_ = 0, squares_ = 0, squares_of_mixture_ = 0, lead_ = 0;
};

}  // namespace neuralts
