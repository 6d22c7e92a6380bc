#include "evaluate/sequence.hpp"

#include <algorithm>
#include <cmath>

namespace neuralts::evaluation {

namespace {
constexpr double most_of_wealth = 0.5;  // c: no bet loses more
}

Scores scores(const Judged& event, const Range& range, double k) {
  const double reward = (event.reward - range.low) / range.width();
  if (k == 0) return {event.weight * reward, event.weight * (1 - reward)};
  const double predicted = std::clamp((event.predicted - range.low) / range.width(), 0.0, 1.0);
  const double w = event.weight;
  return {w * reward - std::min(w * predicted, k) + event.floor,
          w * (1 - reward) - std::min(w * (1 - predicted), k) + event.loss_floor};
}

double Bets::log_of(double value) { return std::log(value); }

double Bets::next() const {
  const double t = static_cast<double>(count_ + 1);
  return std::sqrt(2 * log_level_ / (squares_ * std::log1p(t)));  // s2_{t-1} = squares / t
}

void Bets::add(double phi) {
  const double xi = phi / scale_;
  sum_ += xi;
  mean_ = std::min(sum_ / static_cast<double>(++count_), top_);
  squares_ += (xi - mean_) * (xi - mean_);
}

EmpiricalBernstein::EmpiricalBernstein(double alpha, double k) : k_(k), bets_(alpha, 1 + k, 1 / (1 + k)) {}

void EmpiricalBernstein::add(double phi) {
  const double bet = std::min(most_of_wealth, bets_.next());
  const double xi = phi / (1 + k_), off = xi - bets_.mean();
  stake_ += bet;
  gain_ += bet * xi;
  price_ += off * off * (-std::log1p(-bet) - bet);
  bets_.add(phi);
  lower_ = std::max(lower_, (1 + k_) * (gain_ - bets_.log_level() - price_) / stake_);
}

Betting::Betting(double alpha, double k) : k_(k), bets_(alpha, 1, 1) {}

void Betting::add(double phi) {
  phi_.push_back(phi);
  stakes_.push_back(bets_.next());
  bets_.add(phi);
}

// The wealth is a product held within range by moving whole powers of two into `level`.
bool Betting::refused(double v, std::size_t n) const {
  const double cap = k_ + v > 0 ? most_of_wealth / (k_ + v) : HUGE_VAL;
  constexpr double step = 0x1p400;
  double wealth = 1, target = std::exp(bets_.log_level());
  int steps = 0;  // the true wealth is wealth * step^-steps
  for (std::size_t i = 0; i < n; ++i) {
    wealth *= 1 + std::min(stakes_[i], cap) * (phi_[i] - v);
    if (wealth >= target) {
      if (steps == 0) return true;
      wealth /= step;
      --steps;
    } else if (wealth < 1 / step) {
      wealth *= step;
      ++steps;
    }
  }
  return false;
}

double Betting::lower(std::size_t n) const {
  n = std::min(n, phi_.size());
  double low = 0, high = 1;
  if (!refused(low, n)) return 0;
  for (int halving = 0; halving < 30; ++halving) {
    const double middle = (low + high) / 2;
    (refused(middle, n) ? low : high) = middle;
  }
  return low;
}

}  // namespace neuralts::evaluation
