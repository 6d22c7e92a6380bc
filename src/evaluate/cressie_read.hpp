// The Cressie-Read divergence of power -2 instead of the likelihood: sum (n Q_i - 1)^2, which needs moments only.
//
// One event that was not seen is added, at the least or the most weight, with the worst term there. Over the n
// + 1 events write y = b w + e with b the regression of y on w: Q with E_Q[w] = 1 has value mean(y) + b (1 -
// mean(w)) + E_Q[e], and the nearest to uniform costs c = (n+1) (1 - mean(w))^2 / var(w). Within a divergence
// of (least c) + quantile of F(1, n-1), E_Q[e] reaches down to -sd(e) sqrt((that - c) / (n+1)).
#pragma once

#include "evaluate/interval.hpp"
#include "evaluate/moments.hpp"

namespace neuralts::evaluation {

/// Moments of (weight, term), and what is known of them beforehand (as in likelihood.hpp). One pass, constant
/// memory.
class CressieRead {
 public:
  CressieRead(const Range& weights, const Range& base, const Range& gain)
      : weights_(weights), base_(base), gain_(gain) {}
  void add(double weight, double term) { moments_.add({weight, term}); }

  double value() const;
  Interval interval(double confidence) const;

 private:
  struct Completed {
    double mean_w, mean_y, var_w, var_y, cov, n;
    double cost() const { return n * (1 - mean_w) * (1 - mean_w) / var_w; }
    double value() const { return mean_y + cov / var_w * (1 - mean_w); }
  };
  Completed completed(double weight, double term) const;
  double end(bool lower, double budget) const;

  Range weights_, base_, gain_;
  Moments<2> moments_;
};

}  // namespace neuralts::evaluation
