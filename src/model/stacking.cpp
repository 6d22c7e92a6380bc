#include "model/stacking.hpp"

#include <algorithm>
#include <utility>

namespace neuralts {

namespace {

constexpr std::size_t n = Stacking::forecasters;
using Matrix = std::array<Stacking::Numbers, n>;

constexpr double keep = 1 - 1.0 / 500;  // what a round leaves of the sums before it
// Rounds in which all forecast one standard deviation and the network alone was right; few, since they cost where it is not. Without
// them a line that happens to be good where it has led plays on, and the network never sees what would show it better.
constexpr double imagined = 1;
constexpr double open_rounds = 50;

// The solution of A w = b over the forecasters in `subset`, 0 elsewhere. REQUIRES A positive definite.
Stacking::Numbers solve(Matrix a, Stacking::Numbers b, unsigned subset) {
  const auto used = [&](std::size_t i) { return (subset >> i & 1) != 0; };
  Stacking::Numbers w{};
  for (std::size_t i = 0; i < n; ++i) {
    if (!used(i)) continue;
    for (std::size_t j = i + 1; j < n; ++j) {
      if (!used(j)) continue;
      const double factor = a[j][i] / a[i][i];
      for (std::size_t k = i; k < n; ++k) a[j][k] -= factor * a[i][k];
      b[j] -= factor * b[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    if (!used(i)) continue;
    w[i] = b[i];
    for (std::size_t j = i + 1; j < n; ++j) w[i] -= a[i][j] * w[j];
    w[i] /= a[i][i];
  }
  return w;
}

// Least squares under w >= 0: the best of all subsets whose solution is not negative.
Stacking::Numbers not_negative_solution(const Matrix& a, const Stacking::Numbers& b) {
  Stacking::Numbers best{};
  double gain = 0;  // of b.w, twice what the squared error has fallen by
  for (unsigned subset = 1; subset < 1u << n; ++subset) {
    const auto w = solve(a, b, subset);
    double found = 0;
    for (std::size_t i = 0; i < n; ++i) found += b[i] * w[i];
    if (found > gain && *std::min_element(w.begin(), w.end()) >= 0) best = w, gain = found;
  }
  return best;
}

}  // namespace

void Stacking::count(const Numbers& forecasts, double reward) {
  ++rounds_;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) products_[i][j] = keep * products_[i][j] + forecasts[i] * forecasts[j];
    rewards_[i] = keep * rewards_[i] + forecasts[i] * reward;
  }
}

Stacking::Numbers Stacking::shares() const {
  Matrix a = products_;
  Numbers b = rewards_;
  for (std::size_t i = 0; i < n; ++i) a[i][i] += imagined;
  b.back() += imagined;
  Numbers w = not_negative_solution(a, b);
  double sum = 0;
  for (const double value : w) sum += value;
  if (!(sum > 0)) return {0, 0, 1};
  for (double& value : w) value /= sum;
  return w;
}

Stacking::Numbers Stacking::open_shares() const {
  Numbers out = shares();
  double present = 0;
  for (std::size_t i = 0; i < n; ++i) present += products_[i][i] > 0;
  if (present == 0) return out;
  for (std::size_t i = 0; i < n; ++i)
    out[i] = ((products_[i][i] > 0 ? open_rounds / present : 0) + rounds_ * out[i]) / (open_rounds + rounds_);
  return out;
}

double Stacking::openness() const {
  constexpr double half_after = 200;
  return half_after / (half_after + rounds_);
}

void Stacking::save(Writer& out) const {
  out.value(rounds_);
  for (const auto& row : products_)
    for (const double sum : row) out.value(sum);
  for (const double sum : rewards_) out.value(sum);
}

void Stacking::load(Reader& in) {
  rounds_ = in.value<double>();
  for (auto& row : products_)
    for (double& sum : row) sum = in.value<double>();
  for (double& sum : rewards_) sum = in.value<double>();
}

}  // namespace neuralts
