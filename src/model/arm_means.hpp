// Whether the arm alone has told the rewards so far.
//
// An arm that always pays the same, whatever the context, has not been seen where contexts matter. As long as
// all arms look like that, the rewards' scatter says nothing about those not met yet, which may be far larger.
// Clicks, right and wrong, ratings are not: where arms pay now this, now that, and the largest has come again, there
// is no larger one to look for. Units and offsets of rewards do not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "math/running_moments.hpp"
#include "neuralts/archive.hpp"

namespace neuralts {

class ArmMeans {
 public:
  explicit ArmMeans(std::size_t arms) : arms_(arms) {}

  /// The reward farthest from the others is held back until a farther one comes: one wild number may be a
  /// mistake, two are not. Of a round of weight w, which is w rounds, one is held back, and w - 1 are not.
  void count(std::size_t arm, double reward, double weight = 1);
  /// Since the first, or since a wild one was held back.
  double rounds() const { return wild() ? all_.count - held_at_ : all_.count + (held_any_ ? 1 : 0); }
  /// 0 .. 1; 1 where there is nothing to tell: one arm, no arm seen twice, rewards that never varied.
  double variance_within() const;
  /// 0 .. 1: how far the arm alone tells the reward: the variance of arms' means, but for what chance makes of their
  /// averages, of that and of the noisiest arm's own. 0 where there is nothing to tell.
  double told() const { return told(variances()); }
  /// 0 .. 1: how much contexts may yet have to say: half where the arm alone tells half of it all, as if each had been
  /// played twice more and told nothing.
  double untold() const;
  /// How far a context at the edge might be from what an arm pays otherwise, in the rewards' unit: 190 deviations of
  /// arms' means at first, so that the worst of them is tried for many contexts, and ever fewer; by how far the arm
  /// alone tells the reward; a quarter of it is left after 50 rounds. None where the largest reward is known.
  double wonder() const;
  /// The same of an arm that has always paid the same where contexts do matter, for other arms: two standard
  /// deviations of the rewards at first, half of it after 20 plays; gone where its own variance is a twentieth of theirs.
  double wonder_of(std::size_t arm) const;
  /// How much wider than they look widths should be, in standard deviations of the rewards, where the widths themselves
  /// say where most is unknown: 10 at first and while the arm alone tells the reward; gone where a twentieth of the
  /// variance is within arms; a quarter of it is left after 400 rounds.
  double widening() const;

  /// All but the largest reward, which is for who wonders. Files that do not have it leave it unknown for good.
  void save(Writer& out) const;
  void load(Reader& in);
  void save_largest(Writer& out) const;
  void load_largest(Reader& in);

 private:
  static constexpr std::uint32_t largest_since = 10;  // a file's version
  struct Variances {
    double between = 0, within = 0;
  };
  Variances variances() const;
  static double told(const Variances& of) { return of.between > 0 ? of.between / (of.between + of.within) : 0; }
  /// A quarter after `half_way` rounds.
  double faded(double half_way) const;
  /// Whether the one held back is far from all others.
  bool wild() const;
  void add(std::size_t arm, double value, double weight);
  double distance(double value) const { return value > all_.mean ? value - all_.mean : all_.mean - value; }

  std::vector<math::RunningMoments> arms_;  // of differences from the first reward
  math::RunningMoments all_;
  double first_ = 0, within_ = 0, played_ = 0;  // sum of the arms' squares; arms played
  bool held_any_ = false;
  double held_ = 0, held_at_ = 0;  // of the one held back: its difference from the first, the rounds before it
  std::size_t held_arm_ = 0;
  double largest_ = -std::numeric_limits<double>::infinity();  // a difference from the first
  bool largest_again_ = false;
};

}  // namespace neuralts
