// Empirical likelihood: which values are consistent with the log and with E[w] = 1? (Karampatziakis, Langford,
// Mineiro 2020.)
//
// A distribution Q over events, possibly with mass on events that were not seen, has likelihood prod_i Q_i and
// must have E_Q[1] = 1 and E_Q[w] = 1 with w in [least, most]. The estimate is the value under the likeliest Q,
// the interval all values of Q whose log-likelihood is within half the quantile of F(1, n-1) of it. Per event
// there is w and a term y (w r, or a doubly robust term), and it is known that y >= lowest(w), linear in w.
// Write p = (w - least) / (most - least), p1 = (1 - least) / (most - least).
//
// The likeliest Q is 1 / (n z_i), z_i = s (1 - p_i) + t p_i, with s (1 - p1) + t p1 = 1 and s, t >= 0
// maximising sum ln z_i; when a bound binds the mass that is left lies on an unseen w at that end. The dual of
// the lower end of the interval is
//   lowest(1) + max over s, t >= 0 of  exp((sum ln x_i - sum ln z_i - quantile / 2) / n) - s (1 - p1) - t p1,
//   x_i = y_i - lowest(w_i) + s (1 - p_i) + t p_i,
// concave in two numbers. The upper end is the lower one of -y.
#pragma once

#include <span>

#include "evaluate/interval.hpp"

namespace neuralts::evaluation {

struct WeightedTerms {
  std::span<const double> weight;
  std::span<const double> term;
  Range weights;        ///< contains every weight and, strictly inside, 1
  Range base{0, 0};     ///< a term is base + weight * gain: what base ...
  Range gain{0, 1};     ///< ... and gain can be
};

/// The value under the likeliest distribution; the middle of what unseen events would add where the log leaves
/// that open.
double likelihood_value(const WeightedTerms& terms);
Interval likelihood_interval(const WeightedTerms& terms, double confidence);

/// Half the width of the profile: half the quantile of F(1, n - 1).
double profile_depth(std::size_t n, double confidence);

}  // namespace neuralts::evaluation
