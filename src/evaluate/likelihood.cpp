#include "evaluate/likelihood.hpp"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <vector>

namespace neuralts::evaluation {

namespace {

/// sum of ln of positive numbers by way of a product, whose exponent is taken out now and then: one logarithm
/// in all.
class LogSum {
 public:
  void add(double value) {
    product_ *= value;
    if (!(product_ > 0x1p-500 && product_ < 0x1p500)) fold();
  }
  double value() {
    fold();
    return std::log(product_) + static_cast<double>(exponent_) * std::log(2.0);
  }

 private:
  void fold() {
    int exponent = 0;
    product_ = std::frexp(product_, &exponent);
    exponent_ += exponent;
  }
  double product_ = 1;
  long exponent_ = 0;
};

/// z of the likeliest distribution: s at the least weight, t at the most.
struct Likeliest {
  double s = 1, t = 1, log_sum = 0;
};

class Problem {
 public:
  explicit Problem(const WeightedTerms& terms)
      : terms_(terms), n_(static_cast<double>(terms.weight.size())), p1_(place(1)), place_(terms.weight.size()) {
    std::transform(terms.weight.begin(), terms.weight.end(), place_.begin(), [this](double w) { return place(w); });
  }

  double place(double w) const { return (w - terms_.weights.low) / terms_.weights.width(); }

  // The slope of sum ln z_i falls in t: its root lies inside, or the maximum at an end.
  Likeliest likeliest() const {
    double low = 0, high = 1 / p1_, t = 1;
    for (int step = 0; step < 100 && high - low > 1e-14 * high; ++step) {
      double slope = 0, curve = 0;
      for (const double p : place_) {
        const double part = (p - p1_) / ((1 - p1_) * z(p, t));
        slope += part;
        curve -= part * part;
      }
      if (slope == 0) break;
      (slope > 0 ? low : high) = t;
      const double newton = t - slope / curve;
      const double before = t;
      t = newton > low && newton < high ? newton : (low + high) / 2;
      if (std::abs(t - before) <= 1e-15 * t) break;
    }
    Likeliest found{.s = (1 - t * p1_) / (1 - p1_), .t = t, .log_sum = 0};
    LogSum sum;
    for (const double p : place_) sum.add(z(p, t));
    found.log_sum = sum.value();
    return found;
  }

  /// max over s, t >= 0 of the dual, for x_i = gain_i + s (1 - p_i) + t p_i and a constant under the
  /// logarithms. `scale`: of values.
  double lowest_excess(const std::vector<double>& gain, double constant, double scale) const {
    double total = 0, squares = 0;
    for (const double g : gain) total += g, squares += g * g;
    if (!(total > 0)) return 0;
    const double start = std::sqrt(squares);
    Point at{.s = start, .t = start};
    // A barrier barrier * (ln s + ln t) keeps both above 0; the maximum is off by at most twice its last weight.
    for (double barrier = 0.1 * scale; barrier > 1e-10 * scale; barrier /= 10) {
      at = evaluate({at.s, at.t}, gain, constant, barrier);
      for (int step = 0; step < 50; ++step) {
        const Point next = newton_step(at, gain, constant, barrier);
        const double won = next.value - at.value;
        at = next;
        if (!(won > 0.1 * barrier)) break;
      }
    }
    return std::max(0.0, evaluate({at.s, at.t}, gain, constant, 0).value);
  }

  const std::vector<double>& places() const { return place_; }
  double z(double p, double t) const { return (1 - t * p1_) / (1 - p1_) * (1 - p) + t * p; }

 private:
  struct Point {
    double s = 0, t = 0, value = 0;
    double slope_s = 0, slope_t = 0, curve_ss = 0, curve_st = 0, curve_tt = 0;
  };

  Point evaluate(std::pair<double, double> where, const std::vector<double>& gain, double constant,
                 double barrier) const {
    Point at{.s = where.first, .t = where.second};
    LogSum logs;
    double a = 0, b = 0, aa = 0, ab = 0, bb = 0;
    for (std::size_t i = 0; i < gain.size(); ++i) {
      const double p = place_[i], x = gain[i] + at.s * (1 - p) + at.t * p;
      logs.add(x);
      const double to_s = (1 - p) / x, to_t = p / x;
      a += to_s, b += to_t, aa += to_s * to_s, ab += to_s * to_t, bb += to_t * to_t;
    }
    const double mean = std::exp((logs.value() - constant) / n_);
    a /= n_, b /= n_;
    at.value = mean - at.s * (1 - p1_) - at.t * p1_;
    if (barrier > 0) at.value += barrier * (std::log(at.s) + std::log(at.t));
    at.slope_s = mean * a - (1 - p1_) + barrier / at.s;
    at.slope_t = mean * b - p1_ + barrier / at.t;
    at.curve_ss = mean * (aa / n_ - a * a) + barrier / (at.s * at.s);
    at.curve_st = mean * (ab / n_ - a * b);
    at.curve_tt = mean * (bb / n_ - b * b) + barrier / (at.t * at.t);
    return at;
  }

  // Newton's direction, cut short of the bounds and halved until the value grows.
  Point newton_step(const Point& at, const std::vector<double>& gain, double constant, double barrier) const {
    const double ss = at.curve_ss, tt = at.curve_tt, st = at.curve_st;
    const double determinant = std::max(ss * tt - st * st, 1e-14 * ss * tt);
    const double ds = (tt * at.slope_s - st * at.slope_t) / determinant,
                 dt = (ss * at.slope_t - st * at.slope_s) / determinant;
    double longest = 1;
    if (ds < 0) longest = std::min(longest, -0.99 * at.s / ds);
    if (dt < 0) longest = std::min(longest, -0.99 * at.t / dt);
    for (double length = longest; length > 1e-9 * longest; length /= 2) {
      const Point next = evaluate({at.s + length * ds, at.t + length * dt}, gain, constant, barrier);
      if (next.value > at.value) return next;
    }
    return at;
  }

  const WeightedTerms& terms_;
  double n_, p1_;
  std::vector<double> place_;
};

std::vector<double> above_lowest(const WeightedTerms& terms) {
  std::vector<double> gain(terms.term.size());
  for (std::size_t i = 0; i < gain.size(); ++i)
    gain[i] = std::max(0.0, terms.term[i] - terms.base.low - terms.weight[i] * terms.gain.low);
  return gain;
}

std::vector<double> below_highest(const WeightedTerms& terms) {
  std::vector<double> gap(terms.term.size());
  for (std::size_t i = 0; i < gap.size(); ++i)
    gap[i] = std::max(0.0, terms.base.high + terms.weight[i] * terms.gain.high - terms.term[i]);
  return gap;
}

}  // namespace

double profile_depth(std::size_t n, double confidence) {
  if (n < 3) return HUGE_VAL;
  return quantile(complement(boost::math::fisher_f(1, static_cast<double>(n - 1)), 1 - confidence)) / 2;
}

double likelihood_value(const WeightedTerms& terms) {
  const Problem problem(terms);
  const Likeliest likeliest = problem.likeliest();
  const double n = static_cast<double>(terms.term.size());
  double value = 0, mass = 0, weight = 0;
  for (std::size_t i = 0; i < terms.term.size(); ++i) {
    const double q = 1 / (n * problem.z(problem.places()[i], likeliest.t));
    mass += q, value += q * terms.term[i], weight += q * terms.weight[i];
  }
  const double unseen = 1 - mass, unseen_weight = 1 - weight;  // their mass, and their mass times their weight
  return value + unseen * (terms.base.low + terms.base.high) / 2 +
         unseen_weight * (terms.gain.low + terms.gain.high) / 2;
}

Interval likelihood_interval(const WeightedTerms& terms, double confidence) {
  const Problem problem(terms);
  const double depth = profile_depth(terms.term.size(), confidence);
  const double lowest = terms.base.low + terms.gain.low, highest = terms.base.high + terms.gain.high;
  if (std::isinf(depth)) return {lowest, highest};
  const double constant = problem.likeliest().log_sum + depth;
  return {lowest + problem.lowest_excess(above_lowest(terms), constant, highest - lowest),
          highest - problem.lowest_excess(below_highest(terms), constant, highest - lowest)};
}

}  // namespace neuralts::evaluation
