// Estimators that are means: of base + w' g, where base is what a model expects of the policy, g what the model
// missed, and w' the weight, perhaps held down. Self-normalised ones divide the second part by the mean of w'.
//
//   name           base             g        w'
//   ips            0                r        w
//   clipped        0                r        min(w, c)
//   snips          0                r        w, normalised
//   dm             sum_b pi q       0
//   dr             sum_b pi q       r - q    w
//   sndr           sum_b pi q       r - q    w, normalised
//   switch         sum_b pi q       r - q    w where w <= c, else 0: the model alone answers there
//   dr-shrinkage   sum_b pi q       r - q    c w / (w^2 + c)
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "evaluate/interval.hpp"
#include "evaluate/judged.hpp"
#include "evaluate/moments.hpp"

namespace neuralts::evaluation {

enum class WeightRule { plain, clipped, switched, shrunk, none };

struct Form {
  std::string name;
  bool model = false;       ///< base and g come from a reward model
  bool normalised = false;  ///< divided by the mean weight
  WeightRule rule = WeightRule::plain;
  bool tuned() const {
    return rule == WeightRule::clipped || rule == WeightRule::switched || rule == WeightRule::shrunk;
  }
};

/// The table above.
const std::vector<Form>& forms();
/// One of them, or nothing.
const Form* find_form(const std::string& name);

/// w' for a constant c; infinity leaves w as it is.
double held_down(WeightRule rule, double c, double w);

/// One estimator at one constant. One pass, constant memory.
class MeanEstimator {
 public:
  /// `untold`: what snips answers where all weights are 0.
  explicit MeanEstimator(const Form& form, double constant = std::numeric_limits<double>::infinity(), double untold = 0);

  void add(const Judged& event);
  double constant() const { return constant_; }
  std::size_t count() const { return moments_.count(); }

  double value() const;
  /// Standard error of value(), of a ratio by its linear part (delta method): a mean over decisions is one where events
  /// stand for several.
  double error() const;
  /// Equal rewards have no spread: what as many of them as the effective sample size leave open. Where rewards differ or
  /// do not matter value() alone.
  Interval left_open(const Range& rewards, double confidence) const;
  /// Estimate of what holding the weights down costs: the mean of (w - w') g, with its sign. 0 for forms
  /// without a constant.
  double bias() const { return moments_.mean(3) * (form_.tuned() ? 1 : 0); }
  /// error^2 + bias^2: what a constant is chosen by.
  double squared_error() const { return error() * error() + bias() * bias(); }

 private:
  Form form_;
  double constant_, untold_;
  double least_reward_ = HUGE_VAL, most_reward_ = -HUGE_VAL;
  Moments<5> moments_;  // c base, c w' g, c w', c (w - w') g, c
};

/// The estimator at several constants at once; the one with the smallest estimated squared error answers.
class TunedEstimator {
 public:
  /// Constants 1, 2, 4, ..., 2^20 and infinity (squared for shrinkage, whose constant is in units of w^2).
  explicit TunedEstimator(const Form& form);

  void add(const Judged& event);
  const MeanEstimator& best() const;

 private:
  std::vector<MeanEstimator> candidates_;
};

}  // namespace neuralts::evaluation
