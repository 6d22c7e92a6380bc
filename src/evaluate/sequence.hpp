// Confidence sequences: bounds that hold at every n at once, so that one may look every day and stop, and that
// stay valid while the logging policy was learning. Everything here is scaled to rewards in [0,1].
//
// A stream phi_1, phi_2, ... with phi_t >= -k and conditional mean v in [0,1] given the past. From an event,
//   phi = w (r - min(q(x,a), k/w)) + sum_b pi(b) min(q(x,b), k/w(x,b))       [the second sum is Judged::floor]
// has mean v whatever q is (given before a was drawn) and phi >= -k, since w min(q, k/w) <= k; k = 0 gives w r.
// Where pi plays an action that h never does, the mean of phi is what the other actions earn: below v, the
// lower bound still holds. The upper bound is 1 minus the lower bound of the stream made with 1 - r and 1 - q.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "evaluate/judged.hpp"
#include "evaluate/interval.hpp"

namespace neuralts::evaluation {

/// phi and its twin for 1 - r.
struct Scores {
  double gain = 0, loss = 0;
};
Scores scores(const Judged& event, const Range& range, double k);

/// How much to bet next: lambda_t from what was seen before t. s2 starts from 1/4, the variance of a fair coin.
class Bets {
 public:
  /// Level alpha of the one-sided bound. `scale`, `top`: observations are divided by `scale`, means are held
  /// below `top`.
  Bets(double alpha, double scale, double top) : log_level_(-log_of(alpha)), scale_(scale), top_(top) {}
  /// sqrt(2 ln(1/alpha) / (s2_{t-1} t ln(1 + t))), before any cap.
  double next() const;
  double mean() const { return mean_; }  ///< of what was seen, held below `top`; 0 before the first
  double log_level() const { return log_level_; }
  void add(double phi);

 private:
  static double log_of(double value);
  double log_level_, scale_, top_;
  double sum_ = 0, mean_ = 0, squares_ = 0.25;
  std::size_t count_ = 0;
};

/// Predictable plug-in empirical Bernstein. With xi = phi / (1 + k) and y = xi - (mean before) >= -1, Fan's
/// inequality exp(l y - y^2 psi(l)) <= 1 + l y, psi(l) = -ln(1 - l) - l, makes exp(sum l (xi - v/(1+k)) - y^2
/// psi(l)) a supermartingale:
///   v >= (1 + k) [sum l xi - ln(1/alpha) - sum y^2 psi(l)] / sum l     at every n at once, with probability 1 - alpha.
/// One pass, constant memory.
class EmpiricalBernstein {
 public:
  EmpiricalBernstein(double alpha, double k);
  void add(double phi);
  double lower() const { return lower_; }  ///< the largest bound so far, at least 0

 private:
  double k_;
  Bets bets_;
  double gain_ = 0, price_ = 0, stake_ = 0, lower_ = 0;
};

/// Betting: v is refused once the wealth prod (1 + l_i (phi_i - v)) of a player who bets against it has reached
/// 1/alpha; the bound is the largest v that was ever refused. l is capped at (1/2) / (k + v), so that no bet
/// loses more than half. Wealth falls with v: lower() finds the bound by halving, each step a pass over what
/// was seen. Keeps two numbers per event.
class Betting {
 public:
  Betting(double alpha, double k);
  void add(double phi);
  /// After the first `n` events; all by default.
  double lower(std::size_t n = static_cast<std::size_t>(-1)) const;
  /// Whether some wealth among the first `n` reached 1/alpha against `v`.
  bool refused(double v, std::size_t n) const;

 private:
  double k_;
  Bets bets_;
  std::vector<double> phi_, stakes_;
};

/// Where a sequence stands, and whether its value is one that stays: for one that does the bounds meet and hold the means
/// of their streams, but for chance.
struct SequenceEnd {
  Interval bounds;
  bool crossed = false;    ///< the lower bound lies above the upper one
  bool mean_left = false;  ///< a stream's mean lies below its lower bound
  bool stays() const { return !crossed && !mean_left; }
  /// With what is known of the mean over the events, whether the value stays or not.
  Interval with(const Interval& of_the_mean) const {
    if (crossed) return of_the_mean;
    return mean_left ? joined(bounds, of_the_mean) : bounds;
  }
};

/// Both sides, each at half the level, in the rewards' own units. `Side` is one of the two above.
template <class Side>
class ConfidenceSequence {
 public:
  ConfidenceSequence(const Range& range, double confidence, double k)
      : range_(range), k_(k), gain_((1 - confidence) / 2, k), loss_((1 - confidence) / 2, k) {}

  void add(const Judged& event) {
    const Scores both = scores(event, range_, k_);
    gain_.add(both.gain);
    loss_.add(both.loss);
    gains_ += both.gain, losses_ += both.loss, ++count_;
  }
  Interval interval() const { return scaled(gain_.lower(), loss_.lower()); }
  SequenceEnd end() const {
    const double gain = gain_.lower(), loss = loss_.lower(), n = static_cast<double>(count_);
    const bool left = (gain > 0 && gain * n > gains_) || (loss > 0 && loss * n > losses_);
    return {scaled(gain, loss), gain + loss > 1, left};
  }
  const Side& gain() const { return gain_; }
  const Side& loss() const { return loss_; }
  /// Lower bounds of the two streams, as an interval of rewards.
  Interval scaled(double gain, double loss) const {
    return {range_.low + range_.width() * gain, range_.high - range_.width() * loss};
  }

 private:
  Range range_;
  double k_;
  Side gain_, loss_;
  double gains_ = 0, losses_ = 0;  // sums
  std::size_t count_ = 0;
};

}  // namespace neuralts::evaluation
